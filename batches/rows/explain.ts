import { StoreUnwritable } from '../../store/errors.ts';
import type { ActionRecord } from '../../contract/actions.ts';
import { mergeActions } from '../../policy/history/merge-actions.ts';
import { defined } from '../../contract/defined.ts';
import { stepsIn, type Step } from '../../contract/row-kinds.ts';
import type { Outcome } from '../../contract/outcomes.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { BatchRecord } from '../../ledger/batches/batch-records.ts';
import type { DecisionRecord } from '../../ledger/requests/decision-records.ts';
import type { Money } from '../../ledger/batches/counts.ts';
import type { RowRecord, RowSnapshot } from '../../ledger/rows/row-records.ts';
import type { TakeRecord } from '../../ledger/takes/take-records.ts';
import type { RowFile } from '../../results/result-line.ts';
import { presentTake } from '../../policy/rows/row-machine.ts';
import { isFetchedFree } from '../../policy/redrive/redrive.ts';
import { findRow, namedFiles, isUnknown } from './find-rows.ts';
import { lacksOnlyCheck } from '../status/leftovers.ts';
import { findLoss, type LostFile, type SearchedStore } from '../redrive/find-loss.ts';
import { nameOf, type NamedRow } from '../../contract/row-parts.ts';
import { neededForRow } from '../plan/skipped-rows.ts';

/** A cell that a person changed by `redrive --from`. */
export interface CellChange {
  readonly column: string;
  readonly from: string;
  readonly to: string;
}

/** A take after the first (a paid run of the row, begun by a redrive), with what it kept and changed. */
export interface TakeHistory extends TakeRecord {
  /** Steps before the first one that it pays for: their results are reused. */
  readonly kept: readonly Step[];
  readonly changes: readonly CellChange[];
}

/** The state of an open row, or how it ended. */
type OpenOrEnded =
  { readonly outcome: null; readonly state: RowRecord['state'] } | { readonly outcome: Outcome; readonly state: null };

/** Everything on record about a row. */
export interface RowHistory extends Omit<RowSnapshot, 'row'> {
  /** `state`: null once the row has ended. */
  readonly row: Omit<RowRecord, 'state' | 'outcome'> & OpenOrEnded;
  readonly batch: BatchRecord;
  /** The batch's sums. */
  readonly money: Money;
  /** Failed rows of the batch. */
  readonly failedRows: number;
  /** The row's takes after the first, oldest first. */
  readonly takes: readonly TakeHistory[];
  /** The parts that its text is split into; empty if it is not split. */
  readonly parts: readonly PartHistory[];
  /** Earlier takes of the row and its parts with a request that may have been charged. */
  readonly unresolvedTakes: readonly UnresolvedTake[];
  /** People's decisions about its requests, oldest first. */
  readonly decisions: readonly DecisionRecord[];
  /** What people and schedules did to the row and its parts, oldest first. */
  readonly actions: readonly ActionRecord[];
  /** The row's files below the out folder; empty if no valid name can be made for them. */
  readonly files: readonly RowFile[];
  /** How the row's stored file is lost; null if it is not, or was not checked. */
  readonly lost: LostFile | null;
  /** Credits the budget must have left to send the row; null if the budget did not leave it out, or if unknown. */
  readonly needed: number | null;
}

/** An earlier take of a row or part that may have been charged. */
export interface UnresolvedTake extends NamedRow {
  readonly take: number;
}

/** A part of a row. */
export interface PartHistory extends Pick<RowRecord, 'row' | 'id' | 'outcome' | 'state' | 'failure' | 'file'> {
  /** Its text. */
  readonly text: string;
  /** The part failed, and a redrive can fetch its result again for free. */
  readonly isFetchable: boolean;
  /** The part is in doubt, and its stored result lacks only the answer of its verification. */
  readonly isUnchecked: boolean;
}

/**
 * Reads everything about one row. `wanted`: its id, or its number if no row has that id. `store`: where to check the
 * row's file and, if that is lost, its parts' files; an unreachable store is ignored. Default: no check.
 */
export async function explainRow(
  ledger: Ledger,
  batch: BatchRecord,
  wanted: string,
  store?: SearchedStore,
): Promise<{ readonly type: 'found'; readonly history: RowHistory } | { readonly type: 'no-row' }> {
  const number = await findRow(ledger, batch, wanted);
  const found = number === undefined ? undefined : await ledger.readRow(batch.name, number);
  if (found === undefined) return { type: 'no-row' };
  const { row, charges, firstPart } = found;
  const takes = await ledger.takesOf(batch.name, row.row);
  const parts = row.parts === null ? [] : await ledger.partsOf(batch.name, row.row);
  const history: RowHistory = {
    batch,
    row: { ...row, ...openOrEnded(row) },
    charges,
    ...defined({ firstPart }),
    parts: parts.map(partHistory),
    money: await ledger.money(batch.name),
    failedRows: (await ledger.counts(batch.name)).outcomes.failed,
    takes: takes.map((take, at) => ({
      ...take,
      kept: keptSteps(row, take),
      changes: changesOf(batch, row, takes, at),
    })),
    unresolvedTakes: (row.parts === null ? [found] : parts).flatMap(unresolvedTakes),
    decisions: await ledger.decisionsOf(batch.name, row.row),
    actions: mergeActions(
      await ledger.actionsOf({ batch: batch.name, rows: [row.row, ...parts.map((part) => part.row.row)] }),
    ),
    files: namedFiles(row, batch),
    lost: (store && (await findLoss(found, store, parts).catch(unlessStore))) ?? null,
    needed: row.failure?.class === 'OverBudget' ? await neededForRow(ledger, batch, found, parts) : null,
  };
  return { type: 'found', history };
}

/** Ignores an unreachable store: whoever reads the ledger may have no access to it. */
function unlessStore(error: unknown): undefined {
  if (!(error instanceof StoreUnwritable)) throw error;
}

/** Returns an open row's state, or an ended row's outcome: its last state, which the ledger keeps, means nothing. */
function openOrEnded({ outcome, state }: RowRecord): OpenOrEnded {
  return outcome === null ? { outcome, state } : { outcome, state: null };
}

/** Returns earlier takes that may have been charged: they were paid again or abandoned while in doubt. */
function unresolvedTakes({ row, charges }: RowSnapshot): readonly UnresolvedTake[] {
  const unresolved = charges.filter(({ state, take }) => state === 'unknown' && take !== presentTake(row));
  return [...new Set(unresolved.map(({ take }) => take))].map((take) => ({ ...nameOf(row), take }));
}

function partHistory({ row: part, charges }: RowSnapshot): PartHistory {
  const { row, id, outcome, state, failure, file, spec } = part;
  const isFetchable = outcome === 'failed' && isFetchedFree(part, charges);
  const isUnchecked = isUnknown(part) && lacksOnlyCheck({ row: part, charges });
  return { row, id, outcome, state, failure, file, text: spec.text ?? '', isFetchable, isUnchecked };
}

/** Returns the steps before the first one that a take pays for. */
function keptSteps({ spec }: RowRecord, { fromStep }: TakeRecord): readonly Step[] {
  const steps = stepsIn(spec);
  return steps.slice(0, Math.max(0, steps.indexOf(fromStep)));
}

/**
 * Returns the input changes of the take at index `at`. Each record has the values before its take, so the values after
 * it are in the next record that has any, or in the row.
 */
function changesOf(
  { columns }: BatchRecord,
  { input }: RowRecord,
  takes: readonly TakeRecord[],
  at: number,
): readonly CellChange[] {
  const before = takes[at]?.before.input;
  if (before === undefined) return [];
  const after = takes.slice(at + 1).find((take) => take.before.input !== undefined)?.before.input ?? input;
  return columns.flatMap((column, place) => {
    const [from, to] = [before[place] ?? '', after[place] ?? ''];
    return from === to ? [] : [{ column, from, to }];
  });
}
