import { roundCredits } from '../../contract/price-units.ts';
import { offsetOf } from './due-times.ts';

/**
 * The budget of a schedule for a calendar month. A batch counts in the month in which its occurrence lies, in the
 * timezone of the schedule, whenever it spends.
 *
 * Each firing gets its share before it begins, as its batch's budget. While a batch is open, its whole budget counts as
 * spent, so concurrent firings cannot exceed the month together.
 */

/** Credits for each calendar month, and whose calendar. */
export interface MonthBudget {
  readonly credits: number;
  /** IANA name. */
  readonly timezone: string;
}

/** A batch of the month, in credits. */
export interface MonthBatch {
  /**
   * Charged, in flight, possibly charged, and reserved for later steps, including those of rows that a late answer
   * would reopen.
   */
  readonly spent: number;
  /** Its total budget; null for no limit. */
  readonly budget: number | null;
  /** True if it has ended and spends no more. */
  readonly isClosed: boolean;
}

/** A month's budget, spending and remainder, in credits. */
export interface MonthStanding {
  readonly credits: number;
  readonly spent: number;
  /** Credits that open batches may still spend; null if one of them has no budget. */
  readonly held: number | null;
  /** Never below 0. */
  readonly left: number;
}

/** The budget of a new batch, or `used-up`: not even its cheapest row fits. */
export type MonthShare = { readonly type: 'share'; readonly budget: number } | { readonly type: 'used-up' };

const HOUR_MS = 3_600_000;

/** The month that a calendar of the timezone shows at a time (ms since 1970), as `2026-12`. */
export function monthOf(at: number, timezone: string): string {
  return new Date(at + offsetOf(at, timezone)).toISOString().slice(0, 7);
}

/** The month in which a time lies, from its first second up to the first of the next, ms since 1970. */
export function monthRange(at: number, timezone: string): { readonly from: number; readonly until: number } {
  const [year = 0, month = 1] = monthOf(at, timezone).split('-').map(Number);
  return { from: startOf(Date.UTC(year, month - 1), timezone), until: startOf(Date.UTC(year, month), timezone) };
}

/** The first second of a month in a timezone, by that of UTC. No timezone is further from UTC than 15 hours. */
function startOf(inUtc: number, timezone: string): number {
  const month = monthOf(inUtc, 'UTC');
  let [before, from] = [inUtc - 15 * HOUR_MS, inUtc + 15 * HOUR_MS];
  while (from - before > 1_000) {
    const middle = before + Math.floor((from - before) / 2_000) * 1_000;
    if (monthOf(middle, timezone) < month) before = middle;
    else from = middle;
  }
  return from;
}

/** A month's standing, given its batches. */
export function monthStanding(credits: number, batches: readonly MonthBatch[]): MonthStanding {
  let spent = 0;
  let held: number | null = 0;
  for (const batch of batches) {
    spent += batch.spent;
    if (batch.isClosed) continue;
    if (batch.budget === null) held = null;
    else if (held !== null) held += Math.max(0, batch.budget - batch.spent);
  }
  const left = held === null ? 0 : Math.max(0, roundCredits(credits - spent - held));
  return { credits, spent: roundCredits(spent), held: held === null ? null : roundCredits(held), left };
}

/**
 * What a firing may spend. `budget`: max per firing; null for no limit. `cheapest`: price of the cheapest row; 0 if a
 * row is free; null if unknown, when any credit may suffice.
 */
export function shareOfMonth(
  { left }: MonthStanding,
  { budget, cheapest }: { readonly budget: number | null; readonly cheapest: number | null },
): MonthShare {
  if (left < (cheapest ?? 0) || (left <= 0 && cheapest !== 0)) return { type: 'used-up' };
  return { type: 'share', budget: budget === null ? left : Math.min(budget, left) };
}

/** Why an occurrence was skipped, with its figures: a sentence. */
export function usedUpReason({ credits, spent, held, left }: MonthStanding, month: string): string {
  const others =
    held === null
      ? ', and a batch without a budget still runs'
      : held === 0
        ? ''
        : `, up to ${held} more reserved by open batches`;
  const budget = `The budget of ${credits} credits for ${month}`;
  if (left === credits) return `${budget} does not cover even one row; none of it is spent or reserved.`;
  const rest = left > 0 ? `; the ${left} left do not cover even one row` : '';
  return `${budget} is used up: ${spent} spent or reserved${others}${rest}.`;
}
