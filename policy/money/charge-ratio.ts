/**
 * Estimates what a request may be charged, from the API's charges for its operation so far. Quotes are often estimates,
 * and the API may report the real price only when a job ends. So until then, an open request counts against the budget
 * at the worst known ratio of charge to quote.
 *
 * Short requests say little about long ones: an API with a minimum charge of 20 credits charges 20 times the quote of
 * one word, but not of a page. So ratios are kept per quote size, and the surplus of a smaller size is capped at what
 * it would be for the largest quote of that size.
 */

/** What a batch was charged for requests of one operation and quote size. A row of a table in the ledger. */
export interface ChargeRatio {
  /** The largest quote of this size, in credits; see {@link sizeOf}. */
  readonly size: number;
  /** The largest ratio of charge to quote; 0 if unknown. */
  readonly worst: number;
  /** The largest charge of a request that was quoted at 0, in credits. */
  readonly unquoted: number;
  /** Ended requests whose charge the API reported. */
  readonly told: number;
  /** Ended requests, charge reported or not. */
  readonly ended: number;
  /** `worst` of the account's earlier batches at the same price; 0 if unknown. */
  readonly earlier: number;
}

/**
 * Max open requests of an operation and size under a budget, as long as the API's charge is unknown. Two, so that one
 * stuck job does not hold up the batch.
 */
export const MAX_UNPRICED_OPEN = 2;
/**
 * After this many requests ended without a reported charge, the API is assumed to report none, so estimates must do.
 */
const ENDED_UNTOLD = 3;
/** Quote sizes, in credits, each four times the previous one. The ledger's trigger uses the same. */
export const SIZES: readonly number[] = Array.from({ length: 25 }, (_, index) => 4 ** (index - 8));
const MAX_SIZE = 4 ** 16;

/** Returns the size of a quote: the largest quote of the same size, in credits; 0 for a quote of 0. */
export function sizeOf(quoted: number): number {
  return quoted <= 0 ? 0 : (SIZES.find((size) => quoted <= size) ?? MAX_SIZE);
}

/**
 * Returns the worst known ratio of charge to quote, over all sizes; at least 1, so low charges never loosen the budget.
 */
export function worstRatio(ratios: readonly ChargeRatio[]): number {
  return Math.max(1, ...ratios.flatMap(({ worst, earlier }) => [worst, earlier]));
}

/**
 * Returns the credits that requests count for until their charges are known. `quoted`: their quotes in sum;
 * `operations`: for each of their operations, its ratios by size.
 */
export function countedFor(quoted: number, operations: readonly (readonly ChargeRatio[])[]): number {
  if (quoted <= 0) return operations.reduce((sum, ratios) => sum + maxOf(ratios, ({ unquoted }) => unquoted), 0);
  // Each operation's share of the quote is unknown: assume all of it for each, capped at the worst ratio for the whole.
  const surplus = operations.reduce((sum, ratios) => sum + surplusOf(quoted, ratios), 0);
  return quoted + Math.min(surplus, quoted * (worstRatio(operations.flat()) - 1));
}

/** Returns how much a request may be charged above its quote. It grows with the quote, but more slowly. */
function surplusOf(quoted: number, ratios: readonly ChargeRatio[]): number {
  return maxOf(ratios, (ratio) => Math.min(quoted, ratio.size) * (worstRatio([ratio]) - 1));
}

function maxOf(ratios: readonly ChargeRatio[], value: (ratio: ChargeRatio) => number): number {
  return Math.max(0, ...ratios.map(value));
}

/**
 * Whether the API's charge for an operation is known, or will never be reported: at the size of this quote, or at any
 * size. `ratios`: those of that operation.
 */
export function isChargeKnown(ratios: readonly ChargeRatio[], quoted?: number): boolean {
  const alike = quoted === undefined ? ratios : ratios.filter(({ size }) => size === sizeOf(quoted));
  if (alike.some(({ told, earlier }) => told > 0 || earlier > 0)) return true;
  return ratios.reduce((sum, { told, ended }) => sum + ended - told, 0) >= ENDED_UNTOLD;
}
