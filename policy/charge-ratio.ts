/**
 * What a request may be charged, by what the API has charged for requests of its operation so far. A quote of ours is often an estimate, and an
 * API may tell the real price only when a job ends; until then each open request counts with the worst that is known.
 */

/** What a batch has been charged for an operation beside its quotes. */
export interface ChargeRatio {
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

/** Requests of an operation that may be open under a budget while nobody knows what the API charges for it: the second goes on if the first is stuck. */
export const MOST_UNTOLD = 2;
/** After this many requests that ended without a charge, the API is taken not to tell any: estimates are all there is. */
const ENDED_UNTOLD = 3;

/** How many times its quote a request of the operation may cost. Never below 1: what was cheaper before loosens nothing. */
export function worstRatio({ worst, earlier }: ChargeRatio): number {
  return Math.max(1, worst, earlier);
}

/** What requests of these operations, quoted together, count with until their charges are known, in credits. */
export function countedFor(quoted: number, ratios: readonly ChargeRatio[]): number {
  if (quoted > 0) return quoted * Math.max(1, ...ratios.map(worstRatio));
  return ratios.reduce((sum, { unquoted }) => sum + unquoted, 0);
}

/** Whether it is known what the API charges for the operation, as far as it ever tells. */
export function isChargeKnown({ told, ended, earlier }: ChargeRatio): boolean {
  return told > 0 || earlier > 0 || ended >= ENDED_UNTOLD;
}
