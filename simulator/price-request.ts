import { costOf } from '../contract/price-units.ts';
import { BUILT_IN_PRICES, priceIn, type Operation } from '../contract/row-kinds.ts';
import type { Sound } from './media-result.ts';

/** The simulator's charge for a request in credits: the built-in price of its operation, in whatever unit. */
export function priceOf(operation: Operation, { text, seconds }: Pick<Sound, 'text' | 'seconds'>): number {
  // Rounding noise must not turn 13 seconds, computed as 13.000000001, into 14 started seconds.
  const duration = Math.round(seconds * 1e6) / 1e6;
  const cost = costOf(priceIn(BUILT_IN_PRICES, operation), { text, duration });
  if (cost === null) throw new Error(`the price of ${operation} needs more than what is heard`);
  return cost;
}
