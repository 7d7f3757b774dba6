import type { Tuning } from '../contract/tunables.ts';
import { LedgerMisuse } from '../ledger/errors.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { RedriveChoice } from '../ledger/row-methods.ts';
import type { BatchRecord } from '../ledger/record-types.ts';
import { budgetLeft } from '../policy/budget.ts';
import { RedriveDraft, type FoundRows, type RedriveRules } from './redrive-draft.ts';

/** So many hold the lock of the ledger for some tenths of a second, and whoever works on a batch waits for it. */
const ROWS_A_TRANSACTION = 200;

/**
 * Finds out what a redrive of these rows will do and cost. Nothing is changed. `tuning`: changes of the batch's tunables that are to
 * come with it.
 */
export async function draftRedrive(
  ledger: Pick<Ledger, 'money'>,
  batch: BatchRecord,
  rows: FoundRows,
  rules: RedriveRules,
  tuning: Tuning = {},
): Promise<RedriveDraft> {
  const draft = new RedriveDraft(batch.settings, rules, await budgetLeftFor(ledger, batch, tuning));
  await draft.addAll(rows);
  return draft;
}

/** Credits that are left of a batch's budget, as it will be with these changes; null if it has none. */
export async function budgetLeftFor(
  ledger: Pick<Ledger, 'money'>,
  batch: Pick<BatchRecord, 'name' | 'settings'>,
  tuning: Tuning = {},
): Promise<number | null> {
  const budget = tuning.budget === undefined ? batch.settings.budget : tuning.budget;
  return budget === null ? null : budgetLeft(await ledger.money(batch.name), budget);
}

/**
 * What {@link openRows} did. `movedOn`: rows of the draft that another command took, or whose answer came meanwhile; nothing is done
 * with them. `refused`: the ledger did not allow it, in its own words; `opened` rows had been opened before that.
 */
export type OpenedRows =
  | { readonly type: 'opened'; readonly opened: number; readonly movedOn: number }
  | { readonly type: 'refused'; readonly opened: number; readonly why: string };

/**
 * Opens the rows of a draft in the ledger, and with them the batch: so many in a transaction that other work gets its turn. Asked once
 * more after a kill, it opens the others.
 */
export async function openRows(
  ledger: Pick<Ledger, 'redrive'>,
  batch: string,
  draft: RedriveDraft,
  rows: FoundRows,
): Promise<OpenedRows> {
  let opened = 0;
  try {
    for await (const choices of choicesOf(draft, rows)) opened += (await ledger.redrive(batch, choices)).rows.length;
  } catch (error) {
    if (!(error instanceof LedgerMisuse)) throw error;
    return { type: 'refused', opened, why: error.message };
  }
  // Some may not even have been met again.
  return { type: 'opened', opened, movedOn: draft.count - opened };
}

/** What is done with the rows, a transaction's worth at a time. */
async function* choicesOf(draft: RedriveDraft, rows: FoundRows): AsyncGenerator<readonly RedriveChoice[]> {
  let some: RedriveChoice[] = [];
  for await (const found of rows) {
    const choice = draft.choiceOf(found);
    if (choice === undefined) continue;
    some.push(choice);
    if (some.length < ROWS_A_TRANSACTION) continue;
    yield some;
    some = [];
  }
  if (some.length > 0) yield some;
}
