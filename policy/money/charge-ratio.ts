/**
 * What a request may be charged, by what the API has charged for requests of its operation so far. A quote of ours is often an estimate, and an
 * API may tell the real price only when a job ends; until then each open request counts with the worst that is known.
 *
 * Short requests say little of long ones: an API that charges 20 credits at least charges 20 times the quote of one word, and not that of a
 * page. So charges are kept by the size of the quote, and one of a smaller size counts with what it would be beyond the quote at the top of
 * its own size.
 */

/** What a batch has been charged for requests of one operation whose quotes are of one size. */
export interface ChargeRatio {
  /** The largest quote of this size, in credits; see {@link sizeOf}. */
  readonly size: number;
  /** The largest charge ÷ its quote; 0: none is known. */
  readonly worst: number;
  /** The largest charge of a request that was quoted at 0, in credits. */
  readonly unquoted: number;
  /** Requests that ended and whose charge the API has told. */
  readonly told: number;
  /** Requests that ended, told or not. */
  readonly ended: number;
  /** `worst` of the account's earlier batches at the same price; 0: they show nothing. */
  readonly earlier: number;
}

/** Requests of an operation and size that may be open under a budget while nobody knows what the API charges for them: the second goes on if the first is stuck. */
export const MOST_UNTOLD = 2;
/** After this many requests that ended without a charge, the API is taken not to tell any: estimates are all there is. */
const ENDED_UNTOLD = 3;
/** The sizes of quotes, in credits: each is four times the one before. The ledger's trigger has the same. */
export const SIZES: readonly number[] = Array.from({ length: 25 }, (_, index) => 4 ** (index - 8));
const LARGEST = 4 ** 16;

/** The largest quote that is of the same size as this one, in credits; 0: it is quoted at 0. */
export function sizeOf(quoted: number): number {
  return quoted <= 0 ? 0 : (SIZES.find((size) => quoted <= size) ?? LARGEST);
}

/** How many times its quote a request of any size may cost. Never below 1: what was cheaper before loosens nothing. */
export function worstRatio(ratios: readonly ChargeRatio[]): number {
  return Math.max(1, ...ratios.flatMap(({ worst, earlier }) => [worst, earlier]));
}

/** What requests of these operations, quoted together, count with until their charges are known, in credits. Each operation has its ratios, by size. */
export function countedFor(quoted: number, operations: readonly (readonly ChargeRatio[])[]): number {
  if (quoted <= 0) return operations.reduce((sum, ratios) => sum + mostOf(ratios, ({ unquoted }) => unquoted), 0);
  // How much of the quote belongs to which operation is not known: each is taken to have all of it, and all to have the worst ratio.
  const surplus = operations.reduce((sum, ratios) => sum + surplusOf(quoted, ratios), 0);
  return quoted + Math.min(surplus, quoted * (worstRatio(operations.flat()) - 1));
}

/** By how much a request may be charged more than it is quoted. Grows with the quote, and more slowly than that. */
function surplusOf(quoted: number, ratios: readonly ChargeRatio[]): number {
  return mostOf(ratios, (ratio) => Math.min(quoted, ratio.size) * (worstRatio([ratio]) - 1));
}

function mostOf(ratios: readonly ChargeRatio[], value: (ratio: ChargeRatio) => number): number {
  return Math.max(0, ...ratios.map(value));
}

/** Whether it is known what the API charges for an operation, as far as it ever tells: at the size of this quote, or at any. `ratios`: of that operation. */
export function isChargeKnown(ratios: readonly ChargeRatio[], quoted?: number): boolean {
  const alike = quoted === undefined ? ratios : ratios.filter(({ size }) => size === sizeOf(quoted));
  if (alike.some(({ told, earlier }) => told > 0 || earlier > 0)) return true;
  return ratios.reduce((sum, { told, ended }) => sum + ended - told, 0) >= ENDED_UNTOLD;
}
