import type { Tariff } from './operations.ts';
import { OPERATIONS, OPERATION_FACTS, ofEach, type Operation } from './row-kinds.ts';

/** What one unit of an operation costs, in credits. */
export interface Price extends Tariff {
  /** True where the figure is our reading of public material rather than the user's own setting. */
  readonly estimate: boolean;
}

/** Rounds a sum of credits to millionths, so that `0.1 + 0.2` is `0.3`. */
export function roundCredits(credits: number): number {
  return Math.round(credits * 1e6) / 1e6;
}

export type PriceTable = Readonly<Record<Operation, Price>>;

/** Built-in prices, all estimates. */
export const BUILT_IN_PRICES: PriceTable = ofEach(OPERATIONS, (operation) => ({
  ...OPERATION_FACTS[operation].price,
  estimate: true,
}));
