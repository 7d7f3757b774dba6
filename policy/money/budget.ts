import { roundCredits } from '../../contract/price-units.ts';

/** Sums of a batch that count against its budget, in credits. */
export interface SpentSums {
  readonly charged: number;
  /** Quoted for requests that have no final price yet. */
  readonly reserved: number;
  /** Quoted for requests that may have been charged. */
  readonly uncertain: number;
}

/** Credits that may still be spent; never below 0. Null without a budget. */
export function budgetLeft(spent: SpentSums, budget: number | null): number | null {
  return budget === null ? null : Math.max(0, roundCredits(budget - sumOf(spent)));
}

/** The budget that covers what is spent plus this much more, as a whole number. */
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
