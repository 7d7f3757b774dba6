import type { BatchSettings } from '../../contract/batch.ts';
import type { ManifestSummary } from '../../inputs/read-manifest.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { MonthClaim, MonthQuestion } from '../../ledger/schedules/occurrence-records.ts';
import {
  monthOf,
  shareOfMonth,
  whyUsedUp,
  type MonthBudget,
  type MonthStanding,
} from '../../policy/schedules/month-budget.ts';
import { formatOccurrence, type Occurrence } from '../../policy/schedules/occurrence.ts';
import { refusalInWords } from '../../policy/schedules/refused-firing.ts';
import { decideSpend } from '../../policy/money/spend.ts';
import { spendFacts } from '../plan/bill-lines.ts';

/** A priced manifest whose bill nobody can be asked about. */
export interface ApprovalRequest {
  readonly ledger: Ledger;
  readonly occurrence: Occurrence;
  /** Billed without what is there already. */
  readonly summary: ManifestSummary;
  readonly settings: BatchSettings;
  /** A bill above so many credits is refused; null: none is. */
  readonly confirmAbove: number | null;
  /** The budget of the schedule for each calendar month; null: none. */
  readonly month: MonthBudget | null;
  /** Reads the credits of the account; null: the API does not tell. */
  readonly readBalance: () => Promise<number | null>;
}

/**
 * Whether a firing may pay for its rows. `go`: it may, with its part of the month, if there is a budget for that; the ledger decides how much that
 * is when it makes the batch. `skipped`: the month is used up.
 */
export type OccurrenceApproval =
  | { readonly type: 'go'; readonly month: MonthClaim | undefined }
  | { readonly type: 'refused'; readonly reason: string }
  | { readonly type: 'skipped'; readonly cause: 'month-budget'; readonly reason: string };

/** Decides whether a firing may pay for its rows, as far as that can be known before its batch is made. */
export async function approveOccurrence(request: ApprovalRequest): Promise<OccurrenceApproval> {
  const { ledger, occurrence, summary, settings, confirmAbove, month, readBalance } = request;
  const question: MonthQuestion | undefined =
    month === null ? undefined : { ...occurrence, ...month, except: formatOccurrence(occurrence) };
  const standing = question === undefined ? undefined : await ledger.monthSpend(question);
  // Rows whose results are there already cost nothing, so a batch of them is worth making whatever is left.
  const cheapest = summary.free > 0 ? 0 : summary.cheapest;
  const share = standing === undefined ? undefined : shareOfMonth(standing, { budget: settings.budget, cheapest });
  const isUsedUp = share?.type === 'used-up';
  // A month bounds every firing, so rows need a price under it; that it is too small for one of them is no fault of the firing's own budget.
  const own = settings.budget ?? (month === null ? null : Infinity);
  const budget = share?.type === 'share' && share.budget >= (summary.cheapest ?? 0) ? share.budget : own;
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
  // What its own budget could never pay has failed; only then it matters how much of the month is left.
  if (spend.type !== 'go') {
    return { type: 'refused', reason: refusalInWords(spend.type === 'refuse' ? spend.why : 'unconfirmed', facts) };
  }
  if (isUsedUp && standing !== undefined && question !== undefined) return skippedFor(standing, question);
  return { type: 'go', month: question === undefined ? undefined : { ...question, cheapest } };
}

/** A firing for which the month has no credits. */
export function skippedFor(
  standing: MonthStanding,
  { at, timezone }: Pick<MonthQuestion, 'at' | 'timezone'>,
): Extract<OccurrenceApproval, { readonly type: 'skipped' }> {
  return { type: 'skipped', cause: 'month-budget', reason: whyUsedUp(standing, monthOf(at, timezone)) };
}
