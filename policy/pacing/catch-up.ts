import type { LeaseAnswer } from './lease.ts';

/** A share of the rate that has stayed as it is for some time. */
export interface SteadyShare {
  /** Calls a second; null without a limit. */
  readonly rate: number | null;
  /** Since when, ms on any clock. */
  readonly since: number;
}

/** How long a share must have held, ms: by then no trailing second includes calls made under an earlier share. */
const STEADY_MS = 2_000;
/**
 * Below this many calls a second a share gains little: its slots are further apart than a process usually stands still.
 */
const LEAST_RATE = 2;

/** The share after one more lease. */
export function steadyShare(before: SteadyShare, rate: number | null, now: number): SteadyShare {
  return before.rate === rate ? before : { rate, since: now };
}

/**
 * Whether a process may make up for missed slots: when it is alone, or within a steady share of a stated rate. The
 * shares add up to the rate, so no trailing second of the account exceeds it.
 */
export function mayCatchUp(
  { isAlone, isStated }: Pick<LeaseAnswer, 'isAlone' | 'isStated'>,
  { rate, since }: SteadyShare,
  now: number,
): boolean {
  return isAlone || (isStated && rate !== null && rate >= LEAST_RATE && now - since >= STEADY_MS);
}
