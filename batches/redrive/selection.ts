import { defined } from '../../contract/defined.ts';
import type { Failure } from '../../contract/failures.ts';
import { hasResult } from '../../contract/outcomes.ts';
import type { Step } from '../../contract/row-kinds.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { BatchRecord } from '../../ledger/batches/batch-records.ts';
import type { NewRow, RowSnapshot } from '../../ledger/rows/row-records.ts';
import type { EarlierTake } from '../../policy/redrive/earlier-take.ts';
import { findRows, type RowsByName, matchingParts, meets, type RowConditions } from '../rows/find-rows.ts';

/** A row's new request. */
export interface RowEdit extends Pick<NewRow, 'spec' | 'input' | 'quoted'> {
  /** The first step that reads a changed cell; null if none does. */
  readonly from: Step | null;
}

/** A take to go back to, and the text of its result if that is one. */
export interface FoundTake extends EarlierTake {
  readonly text?: string;
}

/** A row of a batch found in a file. `edit` is null if nothing changed. */
export interface FoundRow {
  readonly scanned: RowSnapshot;
  readonly edit: RowEdit | null;
  /**
   * Its stored file is lost, and why; `scanned` is the row without it. `outcome`: how it ended; `isJoined`: it is a
   * part, and its row has its joined file. Default: it is not lost.
   */
  readonly lost?: {
    readonly failure: Failure;
    readonly outcome: RowSnapshot['row']['outcome'];
    readonly isJoined: boolean;
  };
  /** With `accept`: the take whose result it goes back to, and once that was looked for, what is known about it. */
  readonly take?: number;
  readonly earlier?: FoundTake;
  /**
   * The take since which it asks for what it asks for now; looked for where an earlier job of it was never fetched.
   * Default: the first.
   */
  readonly askedSince?: number;
  /** Its stored file was lost, and is back as it is on record. Default: it is not. */
  readonly restored?: true;
  /** Only texts of it are lost, which are stored again without the API: it needs nothing else. Default: no. */
  readonly rewritten?: true;
}

/** How to treat the chosen rows. */
export interface RedriveRules {
  readonly step: Step | null;
  readonly resubmit: boolean;
  /** Replace existing results. */
  readonly replace: boolean;
  /** Accept results that failed a check, or lack the answer of one, as they are; or those of earlier takes. */
  readonly accept: boolean;
  /** Only rows with a result whose stored file is lost or damaged. Default false. */
  readonly damaged?: boolean;
  /** Of a row in parts, only those of its parts without a result that meet these. Default: all of them. */
  readonly only?: RowConditions;
  /** Rows that ended `overdue` need explicit consent: `run overdue.csv` could mean either. */
  readonly asksForOverdue: boolean;
  /**
   * Rows that may have been charged are left out, and the others taken: a file has all rows, whatever became of them,
   * and nobody chose these. Default: they are refused, and the others with them.
   */
  readonly leavesDoubtful?: boolean;
}

/** The rows of a redrive. Each iteration starts anew: one announces the redrive, another carries it out. */
export type FoundRows = AsyncIterable<FoundRow>;

/**
 * A choice of rows. A row in parts that ended without a result is also chosen if any of its parts meets the conditions.
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
   * Accept results as they are, free, that failed a check or lack the answer of their verification; of a row that is
   * named with one of its takes, go back to that one's result, whatever the row has now. Default false.
   */
  readonly accept?: boolean;
}

/** Words that name no row, or no take of one, or two takes of one row. */
export type NoSuchRow = Exclude<RowsByName, { readonly type: 'found' }>;

/** How to treat the rows of a selection. */
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

/** The rows of a selection, or the words that name no row, or no take of one. */
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

/** The chosen rows, in order of the manifest; those that are chosen only for parts of them come last. */
async function* selectRows(
  ledger: Ledger,
  batch: string,
  choice: RowChoice,
): AsyncGenerator<RowSnapshot, void, undefined> {
  if (choice.rows !== undefined) {
    for (const number of choice.rows) {
      const scanned = await ledger.readRow(batch, number);
      if (
        scanned !== undefined &&
        (meets(scanned.row, choice) || (await hasMatchingPart(ledger, batch, scanned, choice)))
      )
        yield scanned;
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

/** Whether a row that does not meet the conditions itself is chosen for a part of it. */
async function hasMatchingPart(
  ledger: Pick<Ledger, 'partsOf'>,
  batch: string,
  whole: RowSnapshot,
  choice: RowChoice,
): Promise<boolean> {
  if (whole.row.parts === null || !isWithoutResult(whole)) return false;
  return matchingParts(whole.row, await ledger.partsOf(batch, whole.row.row), choice).length > 0;
}

/** Whether a row has ended, and has no result. */
function isWithoutResult({ row }: RowSnapshot): boolean {
  return row.outcome !== null && !hasResult(row.outcome);
}

/** The same rows without edits, readable as often as a redrive needs. `takes`: those that rows go back to. */
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
 * The rows of a redrive, with the parts of a row in its stead: only a part can be sent again. Who asks for rows that
 * ended in some way asks for the parts that did, and pays for no other. Of a row whose parts are all there, only the
 * joining can be redone, and that is done to the row. An edited row stays, because its parts are those of its old text,
 * and one that goes back to a take, because its parts have takes of their own.
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
        const isOther =
          row.parts === null ||
          row.outcome === null ||
          (found.edit?.from ?? null) !== null ||
          found.earlier !== undefined;
        const parts = isOther ? [] : await ledger.partsOf(batch, row.row);
        // What is there of a row without a result stays, whoever named the row.
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
