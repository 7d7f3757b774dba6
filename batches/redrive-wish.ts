import { defined } from '../contract/defined.ts';
import { hasResult } from '../contract/outcomes.ts';
import type { Step } from '../contract/row-kinds.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { BatchRecord } from '../ledger/record-types.ts';
import { chosenRows, findRows, type RowChoice, type RowsByName } from './choose-rows.ts';
import type { FoundRows, RedriveRules } from './redrive-draft.ts';

/** Which rows that have ended are to run again, and how. A row must meet all that is given. */
export interface RedriveWish extends Omit<RowChoice, 'rows'> {
  /** Ids, or numbers (`12`, `#12`) where no row has that id. Default: any row. */
  readonly rows?: readonly string[];
  /** Do this step and all later ones again, even if they are finished. Default: only what is missing. */
  readonly step?: Step;
  /** Include rows that may have been charged or whose job may still run, which can charge them twice. Default false. */
  readonly resubmit?: boolean;
  /** Accept unfit results as they are, free. Default false. */
  readonly accept?: boolean;
}

/** How the rows of a wish are treated. */
export function rulesOf({ step, resubmit = false, accept = false, rows, outcomes }: RedriveWish): RedriveRules {
  // Whoever names rows, or asks for those that have a result, wants a new result.
  const replace = rows !== undefined || (outcomes?.some(hasResult) ?? false);
  return { step: step ?? null, resubmit, accept, replace, asksForOverdue: false };
}

/** The rows of a wish, in order of the manifest, or the words that name none. */
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
