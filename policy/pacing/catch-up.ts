import type { LeaseAnswer } from './rate-lease.ts';

/** Whether a process may send faster for a while, to make up for slots of its rate that it missed (`pacer.ts`). */

/** A process's share of the rate, and since when it is unchanged. */
export interface SteadyShare {
  /** Calls a second; null without a limit. */
  readonly rate: number | null;
  /** Since when, ms on any clock. */
  readonly since: number;
}

/** How long a share must be unchanged, ms: by then, no trailing second includes calls made under an earlier share. */
const STEADY_MS = 2_000;
/**
 * Min calls per second for catching up. Below it there is little to gain: slots are further apart than the usual stalls
 * of a process.
 */
const MIN_RATE = 2;

/** Returns the share after one more lease. `rate`: as leased, calls per second; `now`: ms on the same clock. */
export function steadyShare(before: SteadyShare, rate: number | null, now: number): SteadyShare {
  return before.rate === rate ? before : { rate, since: now };
}

/**
 * Whether a process may make up for missed slots: if no other process makes calls, or within a steady share of a rate
 * that the user stated. The shares add up to that rate, so no trailing second of the account exceeds it.
 */
export function mayCatchUp(
  { isAlone, isStated }: Pick<LeaseAnswer, 'isAlone' | 'isStated'>,
  { rate, since }: SteadyShare,
  now: number,
): boolean {
  return isAlone || (isStated && rate !== null && rate >= MIN_RATE && now - since >= STEADY_MS);
}
