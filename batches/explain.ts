import { ROW_KINDS, type Step } from '../contract/row-kinds.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { BatchRecord, DecisionRecord, Money, RowRecord, RowStanding, TakeRecord } from '../ledger/record-types.ts';
import { UnfitName } from '../results/names.ts';
import { filesOf, type RowFile } from '../results/result-line.ts';
import { findRow } from './choose-rows.ts';

/** A cell that a person changed. */
export interface CellChange {
  readonly column: string;
  readonly from: string;
  readonly to: string;
}

/** A take after the first, with what it kept and changed. */
export interface TakeStory extends TakeRecord {
  /** Steps before the first one that it pays for: their results are used again. */
  readonly kept: readonly Step[];
  readonly changes: readonly CellChange[];
}

/** A row with everything that is on record about it. */
export interface RowHistory extends RowStanding {
  readonly batch: BatchRecord;
  /** Of the batch. */
  readonly money: Money;
  /** Rows of the batch that failed. */
  readonly failedRows: number;
  /** Its takes after the first, oldest first. */
  readonly takes: readonly TakeStory[];
  /** Earlier takes with a request that may have been charged. */
  readonly unresolvedTakes: readonly number[];
  /** What persons decided about its requests, oldest first. */
  readonly decisions: readonly DecisionRecord[];
  /** Its files, below the out folder; none where no name can be made for them. */
  readonly files: readonly RowFile[];
}

/** Tells all of one row. `wanted`: its id, or its number where no row has that id. */
export async function explainRow(
  ledger: Pick<Ledger, 'findRowById' | 'readRow' | 'takesOf' | 'decisionsOf' | 'money' | 'counts'>,
  batch: BatchRecord,
  wanted: string,
): Promise<{ readonly type: 'found'; readonly history: RowHistory } | { readonly type: 'no-row' }> {
  const number = await findRow(ledger, batch, wanted);
  const found = number === undefined ? undefined : await ledger.readRow(batch.name, number);
  if (found === undefined) return { type: 'no-row' };
  const { row, charges } = found;
  const takes = await ledger.takesOf(batch.name, row.row);
  const history: RowHistory = {
    batch,
    row,
    charges,
    money: await ledger.money(batch.name),
    failedRows: (await ledger.counts(batch.name)).outcomes.failed,
    takes: takes.map((take, at) => ({
      ...take,
      kept: keptSteps(row, take),
      changes: changesOf(batch, row, takes, at),
    })),
    unresolvedTakes: unresolvedTakes(found),
    decisions: await ledger.decisionsOf(batch.name, row.row),
    files: namesOf(row, batch),
  };
  return { type: 'found', history };
}

/** Takes before the present one that were paid for again although they may have been charged. */
function unresolvedTakes({ row, charges }: RowStanding): readonly number[] {
  const unresolved = charges.filter(({ state, take }) => state === 'unknown' && take < row.take);
  return [...new Set(unresolved.map(({ take }) => take))];
}

function keptSteps({ kind }: RowRecord, { fromStep }: TakeRecord): readonly Step[] {
  const { steps } = ROW_KINDS[kind];
  return steps.slice(0, Math.max(0, steps.indexOf(fromStep)));
}

/** What the take changed of the input: each record has what was before, so the next one, or the row, has what came. */
function changesOf(
  { columns }: Pick<BatchRecord, 'columns'>,
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

function namesOf(row: RowRecord, batch: BatchRecord): readonly RowFile[] {
  try {
    return filesOf(row, batch);
  } catch (error) {
    // The file is in the store, but no name can be made for it; `results` says which part of the name is wrong.
    if (error instanceof UnfitName) return [];
    throw error;
  }
}
