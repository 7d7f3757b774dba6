/**
 * The API's limit on an account's concurrent jobs, learned from its refusals and shared by all processes.
 *
 * An API that refuses a request because too many jobs are unfinished is not overloaded: only the end of a job helps,
 * going slower does not. So the limit is the number of our own jobs that ran at the refusal, and new requests wait
 * while that many run. Other people's jobs may count too, and end. So one more is tried now and then, ever more rarely
 * as long as that fails, and the limit is forgotten after a while without a refusal.
 */
export interface ConcurrencyState {
  /** Our own jobs that ran at the last refusal; at least 1, so that there is always a job to wait for, or none. */
  readonly most: number;
  /** When it was refused, ms. */
  readonly at: number;
  /** Interval between trials of one more job, ms. */
  readonly growEveryMs: number;
  /** Until when each process counts as one that starts jobs, ms. */
  readonly members: Readonly<Record<string, number>>;
}

/** The current limit, as a process sees it. */
export interface ConcurrencyAnswer {
  /** Max jobs of all processes together; null if no limit is known. */
  readonly most: number | null;
  /** Processes that start jobs, this one included. */
  readonly members: number;
}

/** First and longest interval between trials of one more job, ms. */
const FIRST_GROW_MS = 5_000;
const MAX_GROW_MS = 60_000;
/** Refusals within this time count as one, ms. */
const SAME_MOMENT_MS = 1_000;
/** The limit is forgotten after this long without a refusal, ms. */
const FORGET_AFTER_MS = 300_000;
/** A process that has not asked for this long is assumed to start no jobs, ms. */
const MEMBER_MS = 1_000;

/**
 * Records a refusal while this many of our jobs ran. Refusals of one moment count as one, with the highest number,
 * because answers to requests that went out together are recorded one after another.
 */
export function limitReached(before: ConcurrencyState | undefined, running: number, now: number): ConcurrencyState {
  const max = Math.max(1, running);
  const members = before?.members ?? {};
  if (before === undefined || limitAt(before, now) === null) {
    return { most: max, at: now, growEveryMs: FIRST_GROW_MS, members };
  }
  if (now - before.at < SAME_MOMENT_MS) return { ...before, most: Math.max(before.most, max) };
  // The refused request was a trial of one more job than the limit: double the interval to the next trial.
  const isSame = max >= before.most && max <= (limitAt(before, now) ?? max);
  if (!isSame) return { most: max, at: now, growEveryMs: FIRST_GROW_MS, members };
  return { ...before, at: now, growEveryMs: Math.min(MAX_GROW_MS, before.growEveryMs * 2) };
}

/**
 * Returns the current limit to a process and counts it, for a while, as one that starts jobs. Returning the same state
 * means that nothing need be written.
 */
export function joinLimit(
  before: ConcurrencyState | undefined,
  owner: string,
  now: number,
): { readonly state: ConcurrencyState | undefined; readonly result: ConcurrencyAnswer } {
  const max = limitAt(before, now);
  if (before === undefined || max === null) return { state: before, result: { most: null, members: 1 } };
  const others = Object.entries(before.members).filter(
    ([name, until]) => name !== owner && until > now && until <= now + MEMBER_MS,
  );
  const members = { ...Object.fromEntries(others), [owner]: now + MEMBER_MS };
  return { state: { ...before, members }, result: { most: max, members: others.length + 1 } };
}

/** Returns the max jobs at this moment; null if no limit is known. A clock that was set back forgets the limit. */
export function limitAt(state: ConcurrencyState | undefined, now: number): number | null {
  if (state === undefined) return null;
  const age = now - state.at;
  return age < 0 || age > FORGET_AFTER_MS ? null : state.most + Math.floor(age / state.growEveryMs);
}
