/**
 * How many jobs the API runs at once for an account, as far as it has said so.
 *
 * An API that refuses a request because too many jobs are unfinished is not too busy: going slower does not help, and waiting for a job
 * to end does. So the number of our own jobs that ran when it refused is taken as the limit, and new requests wait while so many
 * run. Somebody else's jobs may count, too, and end; so the limit grows by one now and then, and is forgotten after a
 * while without a refusal.
 */
export interface CrowdState {
  /** Our own jobs that ran at the last refusal; at least 1, so that there is always a job whose end is waited for, or none. */
  readonly most: number;
  /** When it was refused, ms. */
  readonly at: number;
}

/** One more is tried this often, ms. */
const GROW_EVERY_MS = 5_000;
/** Without a refusal for so long the limit is no longer known, ms. */
const FORGET_AFTER_MS = 300_000;

/**
 * A request was refused while so many of our jobs ran. Refusals of one moment are one piece of news: the highest count stands, because
 * answers to requests that went out together are recorded one after another.
 */
export function crowded(before: CrowdState | undefined, running: number, now: number): CrowdState {
  const most = Math.max(1, running);
  const isSameMoment = before !== undefined && Math.abs(now - before.at) < 1_000;
  return { most: isSameMoment ? Math.max(before.most, most) : most, at: now };
}

/** True if the API may take one more job. A clock that was set back counts as a long time. */
export function hasRoom(state: CrowdState | undefined, running: number, now: number): boolean {
  if (state === undefined) return true;
  const age = now - state.at;
  if (age < 0 || age > FORGET_AFTER_MS) return true;
  return running < state.most + Math.floor(age / GROW_EVERY_MS);
}
