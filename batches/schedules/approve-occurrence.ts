import type { BatchSettings } from '../../contract/batch.ts';
import type { ManifestSummary } from '../../inputs/read-manifest.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { MonthClaim, MonthQuestion } from '../../ledger/schedules/occurrence-records.ts';
import { decideSpend } from '../../policy/money/spend.ts';
import {
  monthOf,
  shareOfMonth,
  usedUpReason,
  type MonthBudget,
  type MonthSpend,
} from '../../policy/schedules/month-budget.ts';
import { formatOccurrence, type Occurrence } from '../../policy/schedules/occurrence.ts';
import { describeRefusal } from '../../policy/schedules/refused-firing.ts';
import { spendFacts } from '../plan/bill-lines.ts';

/** A priced manifest whose bill has to be approved without asking a person. */
export interface ApprovalRequest {
  readonly ledger: Ledger;
  readonly occurrence: Occurrence;
  /** Its bill leaves out results that exist already. */
  readonly summary: ManifestSummary;
  readonly settings: BatchSettings;
  /** Bills above this many credits are refused; null: no limit. */
  readonly confirmAbove: number | null;
  /** The schedule's budget per calendar month; null if it has none. */
  readonly month: MonthBudget | null;
  /** Reads the account's credits; null if the API does not say. */
  readonly readBalance: () => Promise<number | null>;
}

/**
 * Whether a firing may pay for its rows. `go`: it may. `month`: its claim on the month's budget, if there is one; the
 * ledger decides how much that is when it makes the batch. `skipped`: the month's budget is used up.
 */
export type OccurrenceApproval =
  | { readonly type: 'go'; readonly month: MonthClaim | undefined }
  | { readonly type: 'refused'; readonly reason: string }
  | { readonly type: 'skipped'; readonly cause: 'month-budget'; readonly reason: string };

/** Decides whether a firing may pay for its rows, as far as can be known before its batch is made. */
export async function approveOccurrence(request: ApprovalRequest): Promise<OccurrenceApproval> {
  const { ledger, occurrence, summary, settings, confirmAbove, month, readBalance } = request;
  const question: MonthQuestion | undefined =
    month === null ? undefined : { ...occurrence, ...month, except: formatOccurrence(occurrence) };
  const monthSpend = question === undefined ? undefined : await ledger.monthSpend(question);
  // Rows whose results exist already cost nothing, so a batch with such rows is made even if no credits are left.
  const cheapest = summary.free > 0 ? 0 : summary.cheapest;
  const share = monthSpend === undefined ? undefined : shareOfMonth(monthSpend, { budget: settings.budget, cheapest });
  const isUsedUp = share?.type === 'used-up';
  // Under a monthly budget, rows need a known price even if the firing has no budget of its own, hence Infinity. A
  // month that cannot pay one row is reported as used up, not as a budget that is too small.
  const ownBudget = settings.budget ?? (month === null ? null : Infinity);
  const budget = share?.type === 'share' && share.budget >= (summary.cheapest ?? 0) ? share.budget : ownBudget;
  const facts = spendFacts(
    summary,
    { ...settings, budget },
    {
      balance: isUsedUp ? null : await readBalance(),
      confirmAbove: isUsedUp ? null : confirmAbove,
      yes: false,
      canAsk: false,
    },
  );
  const spend = decideSpend(facts);
  // A firing that its own budget can never pay is refused; only otherwise the rest of the month matters.
  if (spend.type !== 'go') {
    return { type: 'refused', reason: describeRefusal(spend.type === 'refuse' ? spend.why : 'unconfirmed', facts) };
  }
  if (isUsedUp && monthSpend !== undefined && question !== undefined) return skippedFor(monthSpend, question);
  return { type: 'go', month: question === undefined ? undefined : { ...question, cheapest } };
}

/** Makes the result for a firing for which the month has no credits left. */
export function skippedFor(
  monthSpend: MonthSpend,
  { at, timezone }: Pick<MonthQuestion, 'at' | 'timezone'>,
): Extract<OccurrenceApproval, { readonly type: 'skipped' }> {
  return { type: 'skipped', cause: 'month-budget', reason: usedUpReason(monthSpend, monthOf(at, timezone)) };
}
