/**
 * How long a row waits for another row's paid request that may bring the same result. It waits while a worker holds
 * that other row; if none does for a minute, it stops waiting and pays itself. There is no lock on a result, so a
 * killed process leaves nothing to release.
 */

/**
 * Max time that the other row may be without a worker, ms. Another worker takes over a dead worker's lane after some
 * 10 s, or after 30 s if the server has to start first.
 */
const TAKE_OVER_MS = 60_000;
/** First and longest pause between two checks of the other row, ms. */
const FIRST_PAUSE_MS = 50;
const MAX_PAUSE_MS = 2_000;
/** Max checks per second by all waiting rows of a lane; their pauses grow accordingly. */
const MAX_CHECKS_PER_SECOND = 200;

/** What a waiting row has observed about the request that it waits for. */
export interface Watch {
  /** Identifies the attempt. */
  readonly attempt: string;
  /** Since when no worker holds its row, monotonic ms; null while one does. */
  readonly unattendedSince: number | null;
}

/** Returns the observations after one more check. A different attempt starts new ones. `now`: monotonic ms. */
export function updateWatch(
  before: Watch | undefined,
  seen: { readonly attempt: string; readonly isAttended: boolean },
  now: number,
): Watch {
  if (seen.isAttended) return { attempt: seen.attempt, unattendedSince: null };
  const since = before?.attempt === seen.attempt ? before.unattendedSince : null;
  return { attempt: seen.attempt, unattendedSince: since ?? now };
}

/** Whether the row should stop waiting for this attempt. `now`: monotonic ms. */
export function shouldStopWaiting({ unattendedSince }: Watch, now: number): boolean {
  return unattendedSince !== null && now - unattendedSince >= TAKE_OVER_MS;
}

/**
 * Returns the pause before the next check, ms. `checks`: number of checks so far; `waiting`: number of waiting rows in
 * the lane; `random`: from 0 to 1, for jitter.
 */
export function waitPauseMs(checks: number, waiting: number, random: number): number {
  const shared = (1_000 * waiting) / MAX_CHECKS_PER_SECOND;
  const longest = Math.max(MAX_PAUSE_MS, shared);
  return Math.min(longest, Math.max(shared, FIRST_PAUSE_MS * 2 ** Math.min(checks, 10))) * (0.75 + random / 2);
}
