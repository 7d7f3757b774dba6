/**
 * How many jobs the API runs at once for an account, as far as it has said so. All processes share it.
 *
 * An API that refuses a request because too many jobs are unfinished is not too busy: going slower does not help, and waiting for a job
 * to end does. So the number of our own jobs that ran when it refused is taken as the limit, and new requests wait while so many
 * run. Somebody else's jobs may count, too, and end; so one more is tried now and then, ever more rarely as long as that fails, and
 * the limit is forgotten after a while without a refusal.
 */
export interface ConcurrencyState {
  /** Our own jobs that ran at the last refusal; at least 1, so that there is always a job whose end is waited for, or none. */
  readonly most: number;
  /** When it was refused, ms. */
  readonly at: number;
  /** One more is tried this often, ms. */
  readonly growEveryMs: number;
  /** Until when each process counts as one that makes jobs, ms. */
  readonly members: Readonly<Record<string, number>>;
}

/** What holds for a process at present. */
export interface ConcurrencyAnswer {
  /** Jobs that all processes may have at once; null where no limit is known. */
  readonly most: number | null;
  /** Processes that make jobs, this one included. */
  readonly members: number;
}

const FIRST_GROW_MS = 5_000;
const LONGEST_GROW_MS = 60_000;
/** Refusals that are no further apart are one piece of news, ms. */
const SAME_MOMENT_MS = 1_000;
/** Without a refusal for so long the limit is no longer known, ms. */
const FORGET_AFTER_MS = 300_000;
/** A process that has not asked for so long makes no jobs, ms. */
const MEMBER_MS = 1_000;

/**
 * A request was refused while so many of our jobs ran. Refusals of one moment are one piece of news: the highest count stands, because
 * answers to requests that went out together are recorded one after another.
 */
export function limitReached(before: ConcurrencyState | undefined, running: number, now: number): ConcurrencyState {
  const most = Math.max(1, running);
  const members = before?.members ?? {};
  if (before === undefined || limitAt(before, now) === null) {
    return { most, at: now, growEveryMs: FIRST_GROW_MS, members };
  }
  if (now - before.at < SAME_MOMENT_MS) return { ...before, most: Math.max(before.most, most) };
  // One more was tried, and it was one too many.
  const isSame = most >= before.most && most <= (limitAt(before, now) ?? most);
  if (!isSame) return { most, at: now, growEveryMs: FIRST_GROW_MS, members };
  return { ...before, at: now, growEveryMs: Math.min(LONGEST_GROW_MS, before.growEveryMs * 2) };
}

/** A process asks what holds, and counts as one that makes jobs for a while. The same state means that there is nothing to write. */
export function joinLimit(
  before: ConcurrencyState | undefined,
  owner: string,
  now: number,
): { readonly state: ConcurrencyState | undefined; readonly result: ConcurrencyAnswer } {
  const most = limitAt(before, now);
  if (before === undefined || most === null) return { state: before, result: { most: null, members: 1 } };
  const others = Object.entries(before.members).filter(
    ([name, until]) => name !== owner && until > now && until <= now + MEMBER_MS,
  );
  const members = { ...Object.fromEntries(others), [owner]: now + MEMBER_MS };
  return { state: { ...before, members }, result: { most, members: others.length + 1 } };
}

/** Jobs that may run at once; null where nothing is known. A clock that was set back counts as a long time. */
export function limitAt(state: ConcurrencyState | undefined, now: number): number | null {
  if (state === undefined) return null;
  const age = now - state.at;
  return age < 0 || age > FORGET_AFTER_MS ? null : state.most + Math.floor(age / state.growEveryMs);
}
