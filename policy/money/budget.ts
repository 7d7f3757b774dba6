import { roundCredits } from '../../contract/price-units.ts';

/** Arithmetic on a batch's budget, for views and messages. `room.ts` decides whether a request fits into it. */

/** The sums that count against a batch's budget, in credits. */
export interface SpentSums {
  readonly charged: number;
  /** Quotes of requests without a final price yet. */
  readonly reserved: number;
  /** Quotes of requests that may have been charged: their answers are lost. */
  readonly uncertain: number;
}

/** Returns the credits that may still be spent, never below 0; null without a budget. */
export function budgetLeft(spent: SpentSums, budget: number | null): number | null {
  return budget === null ? null : Math.max(0, roundCredits(budget - sumOf(spent)));
}

/** Returns the budget that covers what is spent and `more` credits, rounded up to a whole number. */
export function budgetFor(spent: SpentSums, more: number): number {
  return Math.ceil(roundCredits(sumOf(spent) + more));
}

/** Whether part of the charged sum is an estimate. A sum of zero is not. */
export function isChargeEstimated({ charged, estimated }: { charged: number; estimated: boolean }): boolean {
  return estimated && charged > 0;
}

function sumOf({ charged, reserved, uncertain }: SpentSums): number {
  return charged + reserved + uncertain;
}
