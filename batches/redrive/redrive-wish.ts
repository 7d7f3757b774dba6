import { defined } from '../../contract/defined.ts';
import { hasResult } from '../../contract/outcomes.ts';
import type { Step } from '../../contract/row-kinds.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { BatchRecord } from '../../ledger/record-types.ts';
import { chosenRows, findRows, type RowChoice } from '../rows/choose-rows.ts';
import { findTakes, type TakesByName } from '../rows/find-takes.ts';
import type { FoundRows, RedriveRules } from './found-rows.ts';

/** Which ended rows to run again, and how. A row must match every given condition. */
export interface RedriveWish extends Omit<RowChoice, 'rows'> {
  /** Ids, or numbers (`12`, `#12`) if no row has that id; with `accept` also `ROW/TAKE`. Default: any row. */
  readonly rows?: readonly string[];
  /** Only rows with a result whose stored file is lost or damaged, which takes a read of each file. Default false. */
  readonly damaged?: boolean;
  /** Redo this step and all later ones, even if they are finished. Default: only missing steps. */
  readonly step?: Step;
  /** Include rows that may have been charged, or whose job may still run; this can charge them twice. Default false. */
  readonly resubmit?: boolean;
  /**
   * Accept results as they are, free, that failed a check or lack the answer of their verification; of a row that is named with
   * one of its takes, go back to that one's result, whatever the row has now. Default false.
   */
  readonly accept?: boolean;
}

/** Words that name no row, or no take of one, or two takes of one row. */
export type NoSuchRow = Exclude<TakesByName, { readonly type: 'found' }>;

/** How to treat the rows of a wish. */
export function rulesOf({
  step,
  resubmit = false,
  accept = false,
  damaged = false,
  rows,
  outcomes,
  classes,
}: RedriveWish): RedriveRules {
  // Naming rows, or asking for rows with a result, means asking for a new result.
  const replace = rows !== undefined || (outcomes?.some(hasResult) ?? false);
  const only = defined({ outcomes, classes });
  return { step: step ?? null, resubmit, accept, replace, damaged, only, asksForOverdue: false };
}

/** The rows of a wish, or the words that match no row, or no take of one. */
export async function wishedRows(
  ledger: Ledger,
  batch: BatchRecord,
  { rows: names, outcomes, classes, kinds, accept }: RedriveWish,
): Promise<{ readonly type: 'found'; readonly rows: FoundRows } | NoSuchRow> {
  const conditions = defined({ outcomes, classes, kinds });
  if (names === undefined) return { type: 'found', rows: chosenRows(ledger, batch.name, conditions) };
  const chosen = (rows: readonly number[]): FoundRows => chosenRows(ledger, batch.name, { ...conditions, rows });
  if (accept === true) {
    const named = await findTakes(ledger, batch, names);
    return named.type === 'found' ? { ...named, rows: atTakes(chosen(named.rows), named.takes) } : named;
  }
  const named = await findRows(ledger, batch, names);
  return named.type === 'found' ? { ...named, rows: chosen(named.rows) } : named;
}

/** The rows, with the takes that they go back to. */
export function atTakes(rows: FoundRows, takes: ReadonlyMap<number, number>): FoundRows {
  return {
    async *[Symbol.asyncIterator]() {
      for await (const found of rows) yield { ...found, ...defined({ take: takes.get(found.scanned.row.row) }) };
    },
  };
}
