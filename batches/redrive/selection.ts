import { defined } from '../../contract/defined.ts';
import type { Failure } from '../../contract/failures.ts';
import { hasResult } from '../../contract/outcomes.ts';
import type { Step } from '../../contract/row-kinds.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { BatchRecord } from '../../ledger/batches/batch-records.ts';
import type { NewRow, RowSnapshot } from '../../ledger/rows/row-records.ts';
import type { EarlierTake } from '../../policy/redrive/earlier-take.ts';
import type { ForgottenResult } from '../reconcile/forgotten-results.ts';
import { findRows, type RowsByName, matchingParts, meets, type RowConditions } from '../rows/find-rows.ts';

/** The rows that a redrive is asked to redo, named by a selection or a file, and how to treat them. */

/** What a file changes in a row: its request, input cells and quote. */
export interface RowEdit extends Pick<NewRow, 'spec' | 'input' | 'quoted'> {
  /** The first step that reads a changed cell; null if none does. */
  readonly from: Step | null;
}

/** A take to go back to, and the text of its result if that is a transcript. */
export interface FoundTake extends EarlierTake {
  readonly text?: string;
}

/** A row of a batch to redrive, found by a selection or in a file. */
export interface FoundRow {
  readonly scanned: RowSnapshot;
  /** What the file changes; null if nothing, or without a file. */
  readonly edit: RowEdit | null;
  /**
   * The row's stored file is lost; `scanned` shows the row as failed for that reason. `outcome`: its real outcome;
   * `isJoined`: it is a part, and the row that it belongs to has its joined file. Omitted if the file is not lost.
   */
  readonly lost?: {
    readonly failure: Failure;
    readonly outcome: RowSnapshot['row']['outcome'];
    readonly isJoined: boolean;
  };
  /** With `accept`: the take whose result the row goes back to. */
  readonly take?: number;
  /** What is known about that take; added when its files are checked. */
  readonly earlier?: FoundTake;
  /**
   * The first take with the row's current input; set only if an earlier job's result was never fetched. Default: the
   * first take.
   */
  readonly askedSince?: number;
  /** True if the row failed because its stored file was lost, and the file is back. */
  readonly restored?: true;
  /** True if only text files were lost and have been stored again, so that nothing else is to be done. */
  readonly rewritten?: true;
}

/** How to treat the chosen rows. */
export interface RedriveRules {
  /** Redo this step and all later ones; null: only missing steps. */
  readonly step: Step | null;
  /** Pay again for rows that may have been charged. */
  readonly resubmit: boolean;
  /** Replace existing results. */
  readonly replace: boolean;
  /** Accept results as they are that failed a check or lack a verification's answer; or results of earlier takes. */
  readonly accept: boolean;
  /** Only rows with a result whose stored file is lost or damaged. Default false. */
  readonly damaged?: boolean;
  /** For rows with parts: redo only parts without a result that meet these conditions. Default: all such parts. */
  readonly only?: RowConditions;
  /**
   * Rows that ended `overdue` need explicit consent: `run overdue.csv` may mean to wait for the jobs or to pay again.
   */
  readonly asksForOverdue: boolean;
  /**
   * Leave out rows that may have been charged and redrive the others, because an edited manifest has all rows and
   * nobody chose these. Default: one such row makes the whole redrive be refused.
   */
  readonly leavesDoubtful?: boolean;
  /** By row: results that the store has, although their requests are not on record. Default: none. */
  readonly stored?: ReadonlyMap<number, ForgottenResult>;
}

/** The rows of a redrive. Can be iterated again: once to announce the redrive, once to carry it out. */
export type FoundRows = AsyncIterable<FoundRow>;

/**
 * A choice of rows. A row with parts that ended without a result is also chosen if any of its parts meets the
 * conditions.
 */
export interface RowChoice extends RowConditions {
  /** Numbers of rows, from 1. Default: any row. */
  readonly rows?: readonly number[];
}

/** Which ended rows to run again, and how. A row must match every given condition. */
export interface RedriveSelection extends RowConditions {
  /** Ids, or numbers (`12`, `#12`) if no row has that id; with `accept` also `ROW/TAKE`. Default: any row. */
  readonly rows?: readonly string[];
  /** Only rows with a result whose stored file is lost or damaged, which takes a read of each file. Default false. */
  readonly damaged?: boolean;
  /** Redo this step and all later ones, even if they are finished. Default: only missing steps. */
  readonly step?: Step;
  /** Include rows that may have been charged, or whose job may still run; this can charge them twice. Default false. */
  readonly resubmit?: boolean;
  /**
   * Accept results as they are, free, that failed a check or lack the answer of their verification. A row that is named
   * with one of its takes goes back to the result of that take, whatever it has now. Default false.
   */
  readonly accept?: boolean;
}

/** Why names are refused: they name no row, no take of a row, or two takes of one row. */
export type NoSuchRow = Exclude<RowsByName, { readonly type: 'found' }>;

/** Returns how to treat the rows of a selection. */
export function rulesOf({
  step,
  resubmit = false,
  accept = false,
  damaged = false,
  rows,
  outcomes,
  classes,
}: RedriveSelection): RedriveRules {
  // Naming rows, or asking for rows with a result, means asking for a new result.
  const replace = rows !== undefined || (outcomes?.some(hasResult) ?? false);
  const only = defined({ outcomes, classes });
  return { step: step ?? null, resubmit, accept, replace, damaged, only, asksForOverdue: false };
}

/** Returns the rows of a selection, or why its names are refused. */
export async function selectedRows(
  ledger: Ledger,
  batch: BatchRecord,
  { rows: names, outcomes, classes, kinds, accept }: RedriveSelection,
): Promise<{ readonly type: 'found'; readonly rows: FoundRows } | NoSuchRow> {
  const conditions = defined({ outcomes, classes, kinds });
  if (names === undefined) return { type: 'found', rows: chosenRows(ledger, batch.name, conditions) };
  const named = await findRows(ledger, batch, names, accept);
  if (named.type !== 'found') return named;
  return { type: 'found', rows: chosenRows(ledger, batch.name, { ...conditions, rows: named.rows }, named.takes) };
}

/** Yields the chosen rows in manifest order; rows that are chosen only because of a part come last. */
async function* selectRows(
  ledger: Ledger,
  batch: string,
  choice: RowChoice,
): AsyncGenerator<RowSnapshot, void, undefined> {
  if (choice.rows !== undefined) {
    for (const number of choice.rows) {
      const scanned = await ledger.readRow(batch, number);
      if (scanned === undefined) continue;
      if (meets(scanned.row, choice) || (await hasMatchingPart(ledger, batch, scanned, choice))) yield scanned;
    }
    return;
  }
  const [outcome, ...others] = choice.outcomes ?? [];
  const narrow = outcome !== undefined && others.length === 0 ? { outcome } : {};
  for await (const scanned of ledger.scanRows(batch, narrow)) if (meets(scanned.row, choice)) yield scanned;
  if (choice.outcomes === undefined && choice.classes === undefined) return;
  let before: number | null = null;
  for await (const { row: part } of ledger.scanRows(batch, { ...narrow, onlyParts: true })) {
    if (part.partOf === null || part.partOf === before || hasResult(part.outcome) || !meets(part, choice)) continue;
    before = part.partOf;
    const whole = await ledger.readRow(batch, part.partOf);
    if (whole !== undefined && isWithoutResult(whole) && !meets(whole.row, choice)) yield whole;
  }
}

/** Returns whether a row that does not itself meet the conditions is chosen because of a part. */
async function hasMatchingPart(
  ledger: Pick<Ledger, 'partsOf'>,
  batch: string,
  whole: RowSnapshot,
  choice: RowChoice,
): Promise<boolean> {
  if (whole.row.parts === null || !isWithoutResult(whole)) return false;
  return matchingParts(whole.row, await ledger.partsOf(batch, whole.row.row), choice).length > 0;
}

/** Returns whether a row has ended without a result. */
function isWithoutResult({ row }: RowSnapshot): boolean {
  return row.outcome !== null && !hasResult(row.outcome);
}

/** Returns the chosen rows, without edits. `takes`: by row, the takes whose results they go back to. */
export function chosenRows(
  ledger: Ledger,
  batch: string,
  choice: RowChoice,
  takes: ReadonlyMap<number, number> = new Map(),
): FoundRows {
  return {
    async *[Symbol.asyncIterator]() {
      for await (const scanned of selectRows(ledger, batch, choice))
        yield { scanned, edit: null, ...defined({ take: takes.get(scanned.row.row) }) };
    },
  };
}

/**
 * Returns the rows of a redrive with the parts of a row in its place, because only parts can be sent again. Conditions
 * on outcomes apply to the parts, so that nothing else is paid for. A row whose parts all have results stays as it is:
 * only its joining can be redone. So does an edited row, whose parts belong to its old text, and a row that goes back
 * to a take, because its parts have takes of their own.
 */
export function partsToRedrive(
  ledger: Pick<Ledger, 'partsOf'>,
  batch: string,
  rows: FoundRows,
  { replace, step, only = {} }: Pick<RedriveRules, 'replace' | 'step' | 'only'>,
): FoundRows {
  return {
    async *[Symbol.asyncIterator]() {
      const seen = new Set<number>();
      for await (const found of rows) {
        const { row } = found.scanned;
        const staysWhole =
          row.parts === null ||
          row.outcome === null ||
          (found.edit?.from ?? null) !== null ||
          found.earlier !== undefined;
        const parts = staysWhole ? [] : await ledger.partsOf(batch, row.row);
        // A row without a result keeps the results of its parts, even if a person named the row.
        const isAll = hasResult(row.outcome) && (replace || step !== null);
        const chosen = isAll ? parts : matchingParts(row, parts, only);
        const all = chosen.length === 0 ? [found] : chosen.map((scanned): FoundRow => ({ scanned, edit: null }));
        for (const one of all) {
          // A part may be named besides its row.
          const { row: number, partOf } = one.scanned.row;
          if (partOf !== null && seen.has(number)) continue;
          if (partOf !== null) seen.add(number);
          yield one;
        }
      }
    },
  };
}
