import { defined } from '../contract/defined.ts';
import { hasResult } from '../contract/outcomes.ts';
import type { Step } from '../contract/row-kinds.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { BatchRecord } from '../ledger/record-types.ts';
import { chosenRows, findRows, type RowChoice, type RowsByName } from './choose-rows.ts';
import type { FoundRows, RedriveRules } from './redrive-draft.ts';

/** Which ended rows to run again, and how. A row must match every given condition. */
export interface RedriveWish extends Omit<RowChoice, 'rows'> {
  /** Ids, or numbers (`12`, `#12`) if no row has that id. Default: any row. */
  readonly rows?: readonly string[];
  /** Only rows with a result whose stored file is lost or damaged, which takes a read of each file. Default false. */
  readonly damaged?: boolean;
  /** Redo this step and all later ones, even if they are finished. Default: only missing steps. */
  readonly step?: Step;
  /** Include rows that may have been charged, or whose job may still run; this can charge them twice. Default false. */
  readonly resubmit?: boolean;
  /** Accept results as they are, free, that failed a check or lack the answer of their verification. Default false. */
  readonly accept?: boolean;
}

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

/** The rows of a wish, or the words that match no row. */
export async function wishedRows(
  ledger: Ledger,
  batch: BatchRecord,
  { rows: names, outcomes, classes, kinds }: RedriveWish,
): Promise<{ readonly type: 'found'; readonly rows: FoundRows } | Extract<RowsByName, { readonly type: 'missing' }>> {
  const conditions = defined({ outcomes, classes, kinds });
  if (names === undefined) return { type: 'found', rows: chosenRows(ledger, batch.name, conditions) };
  const named = await findRows(ledger, batch, names);
  if (named.type === 'missing') return named;
  return { type: 'found', rows: chosenRows(ledger, batch.name, { ...conditions, rows: named.rows }) };
}
