/**
 * How long a row waits for the request of another row that may bring the same result. It waits as long as somebody
 * works on that row: it ends then, with a result or without. If nobody does, it is given up after a while, and the
 * waiting row pays. No record says "mine": a process that is killed leaves nothing that would have to be released.
 */

/**
 * A row that nobody works on for this long is passed over, ms. A dead worker's lane is with another after some 10 s,
 * and after 30 s if the server has to be started first.
 */
const TAKE_OVER_MS = 60_000;
/** First and longest pause between two looks, ms. */
const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 2_000;
/** The pauses of many rows of a lane grow, so that together they look this often at most. */
const LOOKS_A_SECOND = 200;

/** What a waiting row has seen of the request that it waits for. */
export interface Watch {
  /** Name of the attempt. */
  readonly attempt: string;
  /** Since when nobody has worked on it, monotonic ms; null: somebody does. */
  readonly unattendedSince: number | null;
}

/** The watch after another look. Another attempt is watched from the beginning. */
export function look(
  before: Watch | undefined,
  seen: { readonly attempt: string; readonly isAttended: boolean },
  now: number,
): Watch {
  if (seen.isAttended) return { attempt: seen.attempt, unattendedSince: null };
  const since = before?.attempt === seen.attempt ? before.unattendedSince : null;
  return { attempt: seen.attempt, unattendedSince: since ?? now };
}

/** True once the row need not wait for this attempt any longer. */
export function isPassedOver({ unattendedSince }: Watch, now: number): boolean {
  return unattendedSince !== null && now - unattendedSince >= TAKE_OVER_MS;
}

/** Pause before the next look, ms; `looks`: so many before; `waiting`: rows of the lane that wait. */
export function pauseBefore(looks: number, waiting: number, random: number): number {
  const shared = (1_000 * waiting) / LOOKS_A_SECOND;
  const longest = Math.max(LONGEST_PAUSE_MS, shared);
  return Math.min(longest, Math.max(shared, FIRST_PAUSE_MS * 2 ** Math.min(looks, 10))) * (0.75 + random / 2);
}
