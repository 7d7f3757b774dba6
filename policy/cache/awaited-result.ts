/**
 * How long a row waits for another row's request that may bring the same result. It waits while somebody works on that
 * row, which will then end with or without a result. If nobody does, the wait ends after a while, and the waiting row
 * pays. No record claims a result, so a killed process leaves nothing to release.
 */

/**
 * A row unattended for this long is passed over, ms. Another worker takes over a dead worker's lane after some 10 s, or
 * after 30 s if the server has to start first.
 */
const TAKE_OVER_MS = 60_000;
/** First and longest pause between two looks, ms. */
const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 2_000;
/** Max looks per second by all waiting rows of a lane; their pauses grow accordingly. */
const LOOKS_A_SECOND = 200;

/** A waiting row's observations of the request it waits for. */
export interface Watch {
  /** Name of the attempt. */
  readonly attempt: string;
  /** Since when nobody has worked on it, monotonic ms; null while somebody does. */
  readonly unattendedSince: number | null;
}

/** The watch after another look. Another attempt is watched from the beginning. */
export function updateWatch(
  before: Watch | undefined,
  seen: { readonly attempt: string; readonly isAttended: boolean },
  now: number,
): Watch {
  if (seen.isAttended) return { attempt: seen.attempt, unattendedSince: null };
  const since = before?.attempt === seen.attempt ? before.unattendedSince : null;
  return { attempt: seen.attempt, unattendedSince: since ?? now };
}

/** True once the row need not wait for this attempt any longer. */
export function shouldStopWaiting({ unattendedSince }: Watch, now: number): boolean {
  return unattendedSince !== null && now - unattendedSince >= TAKE_OVER_MS;
}

/** Pause before the next look, ms. `looks`: number of looks so far; `waiting`: number of waiting rows in the lane. */
export function waitPauseMs(looks: number, waiting: number, random: number): number {
  const shared = (1_000 * waiting) / LOOKS_A_SECOND;
  const longest = Math.max(LONGEST_PAUSE_MS, shared);
  return Math.min(longest, Math.max(shared, FIRST_PAUSE_MS * 2 ** Math.min(looks, 10))) * (0.75 + random / 2);
}
