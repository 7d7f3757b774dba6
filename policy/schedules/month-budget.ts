import { roundCredits } from '../../contract/price-units.ts';
import { offsetOf } from './due-times.ts';

/**
 * The budget of a schedule for a calendar month (`--budget-month`). A batch counts in the month of its scheduled time,
 * in the schedule's timezone, even if it spends in the next month.
 *
 * When a schedule fires, {@link shareOfMonth} decides the budget of the new batch. While a batch is open, its whole
 * budget counts as used, so concurrent batches cannot exceed the month's budget together.
 */

/** A monthly budget in credits, and the timezone that defines the months. */
export interface MonthBudget {
  readonly credits: number;
  /** IANA name. */
  readonly timezone: string;
}

/** A batch of the month. Amounts are in credits. */
export interface MonthBatch {
  /** Charged, reserved for open requests and later steps, and possibly charged. */
  readonly spent: number;
  /** Its total budget; null for no limit. */
  readonly budget: number | null;
  /** True if it has ended and spends no more. */
  readonly isClosed: boolean;
}

/** How much of a month's budget is used. Amounts are in credits. */
export interface MonthSpend {
  /** The month's budget. */
  readonly credits: number;
  readonly spent: number;
  /** What open batches may still spend; null (no limit) if one of them has no budget. */
  readonly held: number | null;
  /** What a new batch may spend; never below 0, and 0 if `held` is null. */
  readonly left: number;
}

/** The budget of a new batch in credits, or `used-up` if not even its cheapest row fits. */
export type MonthShare = { readonly type: 'share'; readonly budget: number } | { readonly type: 'used-up' };

const HOUR_MS = 3_600_000;

/** Returns the month of a time (ms since 1970) in a timezone: `2026-12`. */
export function monthOf(at: number, timezone: string): string {
  return new Date(at + offsetOf(at, timezone)).toISOString().slice(0, 7);
}

/** Returns the start (inclusive) and end (exclusive) of the month of a time; all in ms since 1970. */
export function monthRange(at: number, timezone: string): { readonly from: number; readonly until: number } {
  const [year = 0, month = 1] = monthOf(at, timezone).split('-').map(Number);
  return { from: startOf(Date.UTC(year, month - 1), timezone), until: startOf(Date.UTC(year, month), timezone) };
}

/**
 * Returns the first second of a month in a timezone, ms since 1970. `startInUtc`: the same month's first second in UTC.
 * A binary search, because offsets change over time; no timezone is further from UTC than 15 hours.
 */
function startOf(startInUtc: number, timezone: string): number {
  const month = monthOf(startInUtc, 'UTC');
  let before = startInUtc - 15 * HOUR_MS;
  let from = startInUtc + 15 * HOUR_MS;
  while (from - before > 1_000) {
    const middle = before + Math.floor((from - before) / 2_000) * 1_000;
    if (monthOf(middle, timezone) < month) before = middle;
    else from = middle;
  }
  return from;
}

/** Adds up a month's batches. `credits`: the month's budget. */
export function monthSpendOf(credits: number, batches: readonly MonthBatch[]): MonthSpend {
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
 * Decides the budget of a new batch. `budget`: the schedule's limit per batch, null for none. `cheapest`: price of the
 * cheapest row, 0 if a row is free, null if unknown, in which case any credit may suffice. All in credits.
 */
export function shareOfMonth(
  { left }: MonthSpend,
  { budget, cheapest }: { readonly budget: number | null; readonly cheapest: number | null },
): MonthShare {
  if (left < (cheapest ?? 0) || (left <= 0 && cheapest !== 0)) return { type: 'used-up' };
  return { type: 'share', budget: budget === null ? left : Math.min(budget, left) };
}

/** Returns why an occurrence was skipped, with figures, as a sentence. `month`: as {@link monthOf} returns it. */
export function usedUpReason({ credits, spent, held, left }: MonthSpend, month: string): string {
  const budget = `The budget of ${credits} credits for ${month}`;
  if (left === credits) return `${budget} does not cover even one row; none of it is spent or reserved.`;
  const rest = left > 0 ? `; the ${left} left do not cover even one row` : '';
  return `${budget} is used up: ${spent} spent or reserved${heldByOthers(held)}${rest}.`;
}

function heldByOthers(held: number | null): string {
  if (held === null) return ', and a batch without a budget still runs';
  return held === 0 ? '' : `, up to ${held} more reserved by open batches`;
}
