import { costOf, type BilledWork } from '../contract/price-units.ts';
import { BUILT_IN_PRICES, priceIn, type Operation } from '../contract/row-kinds.ts';
import type { Sound } from './media-result.ts';

/** The simulator's charge for a request in credits: the built-in price of its operation, in whatever unit. */
export function priceOf(operation: Operation, { text, seconds }: Pick<Sound, 'text' | 'seconds'>): number {
  return priceOfWork(operation, { text, duration: seconds, number: undefined });
}

/** Like {@link priceOf}, of whatever the request is billed by. */
export function priceOfWork(operation: Operation, { duration, ...work }: BilledWork): number {
  // Rounding noise must not turn 13 seconds, computed as 13.000000001, into 14 started seconds.
  const seconds = duration === undefined ? undefined : Math.round(duration * 1e6) / 1e6;
  const cost = costOf(priceIn(BUILT_IN_PRICES, operation), { ...work, duration: seconds });
  if (cost === null) throw new Error(`the price of ${operation} needs more than what the request has`);
  return cost;
}
