/**
 * The shared limiter of one account and endpoint class, as pure steps on a small state that the ledger keeps for all
 * workers.
 *
 * Calls are given slots in time. Without a limit of the user's and before the first refusal, slots are free. A refusal
 * (429) is taken as news about the API, not about the row: everybody slows down, once per round trip. It sets a learned
 * rate a little below the one that was refused, and a pause at least as long as `Retry-After`. From there the rate climbs
 * back to the refused one within seconds and then probes slowly beyond it (the shape of TCP cubic), because a simulation
 * of this against additive increase used 96 % of a hidden limit instead of 90 % at the same few refusals.
 *
 * Trouble (connection refused, 503) pauses everybody with exponential backoff, and does not touch the rate.
 *
 * A slot is given at most a second ahead; who would have to wait longer asks again. So a change of the rate is heard within a
 * second, nobody holds a slot that a slower rate gave, and a time further ahead than that in the state can only mean that the
 * clock was set back: it is then forgotten.
 *
 * Batches of one account share the slots. Where their rates differ, each keeps to its own, and the slower one does not hold
 * the quicker one up.
 */
export interface RateState {
  /** Time of the last slot that was given to a call with a rate, ms. */
  readonly lastAt: number;
  /** What that call's rate leaves free after it, ms. */
  readonly gapMs: number;
  /** The same time for each batch with a rate, ms. */
  readonly ofBatch: Readonly<Record<string, number>>;
  /** No slot before this, ms. */
  readonly pausedUntil: number;
  /** Learned at the last refusal: the rate that was refused, calls per second; null before the first. */
  readonly refusedRate: number | null;
  readonly refusedAt: number;
  /** Troubles in a row. */
  readonly troubles: number;
  /** Calls given out since `windowAt`, to measure the present rate. */
  readonly windowAt: number;
  readonly windowCalls: number;
}

const FRESH_RATE: RateState = {
  lastAt: 0,
  gapMs: 0,
  ofBatch: {},
  pausedUntil: 0,
  refusedRate: null,
  refusedAt: 0,
  troubles: 0,
  windowAt: 0,
  windowCalls: 0,
};

/** Who asks for a slot. */
export interface Asking {
  readonly batch: string;
  /** The user's own rate for the batch, calls per second, or null. */
  readonly limit: number | null;
  /** Calls of this worker that went without asking since it last did. */
  readonly unasked: number;
}

/** `isGiven`: the call may go at `startAt`. Otherwise that is the earliest time as things stand; ask again before. */
export interface Slot {
  readonly isGiven: boolean;
  readonly startAt: number;
}

/** Slots are given so far ahead at most, ms. */
export const HORIZON_MS = 1_000;
/** The clocks of workers may differ by this, ms. */
const CLOCK_SKEW_MS = 5_000;
/** A batch that has not called for so long is forgotten, ms. */
const FORGET_BATCH_MS = 3_600_000;
const BACK_OFF_FACTOR = 0.85;
const CLIMB_MS = 4_000;
const PROBE_PER_SECOND = 0.03;
const FORGET_AFTER_MS = 120_000;
const LOWEST_RATE = 0.2;
const SHORTEST_PAUSE_MS = 250;
const LONGEST_TROUBLE_MS = 30_000;
/** A pause that the API asks for is obeyed up to this; a longer wish is asked for again. */
const LONGEST_PAUSE_MS = 600_000;

/** The rate that was learned, at a time: 85 % of the refused one at first, all of it after 4 s, then 3 % more a second. */
export function learnedRate(state: RateState, now: number): number | null {
  if (state.refusedRate === null) return null;
  const age = Math.max(0, now - state.refusedAt);
  if (age > FORGET_AFTER_MS) return null;
  const climbed = Math.min(1, age / CLIMB_MS);
  const probed = (Math.max(0, age - CLIMB_MS) / 1000) * PROBE_PER_SECOND;
  return Math.max(LOWEST_RATE, state.refusedRate * (BACK_OFF_FACTOR + (1 - BACK_OFF_FACTOR) * climbed + probed));
}

/** True if a call may go at once, and nothing is known that could soon change that. */
export function isFree(state: RateState, now: number): boolean {
  return state.pausedUntil <= now && learnedRate(state, now) === null && state.troubles === 0;
}

/** Gives out a slot, if there is one within the next second. */
export function reserve(
  before: RateState | undefined,
  { batch, limit, unasked }: Asking,
  now: number,
): { readonly state: RateState; readonly result: Slot } {
  const state = asOf(before, now);
  const rate = Math.min(limit ?? Infinity, learnedRate(state, now) ?? Infinity);
  const gapMs = 1000 / rate;
  const own = state.ofBatch[batch];
  const startAt = Math.max(
    now,
    state.pausedUntil,
    state.lastAt + Math.min(gapMs, state.gapMs),
    own === undefined ? 0 : own + gapMs,
  );
  if (startAt > now + HORIZON_MS) return { state, result: { isGiven: false, startAt } };
  const windowOver = now - state.windowAt >= 1000;
  const calls = 1 + unasked;
  return {
    state: {
      ...state,
      // A call without a limit leaves the slots of those that have one as they are.
      ...(gapMs === 0 ? {} : { lastAt: startAt, gapMs, ofBatch: { ...state.ofBatch, [batch]: startAt } }),
      windowAt: windowOver ? now : state.windowAt,
      windowCalls: windowOver ? calls : state.windowCalls + calls,
    },
    result: { isGiven: true, startAt },
  };
}

/** The state without what cannot be: times that a clock wrote which has since been set back. */
function asOf(before: RateState | undefined, now: number): RateState {
  const state = { ...FRESH_RATE, ...before };
  const isReal = (time: number): boolean => time <= now + HORIZON_MS + CLOCK_SKEW_MS;
  const ofBatch = Object.entries(state.ofBatch).filter(([, time]) => isReal(time) && time > now - FORGET_BATCH_MS);
  return {
    ...state,
    lastAt: isReal(state.lastAt) ? state.lastAt : now,
    ofBatch: Object.fromEntries(ofBatch),
    pausedUntil: state.pausedUntil <= now + LONGEST_PAUSE_MS + CLOCK_SKEW_MS ? state.pausedUntil : now,
    refusedAt: Math.min(state.refusedAt, now),
    windowAt: Math.min(state.windowAt, now),
  };
}

/**
 * A call was refused with 429. `sentAt`: when that call was sent; calls that were on the wire together with an earlier
 * refused one bring no news. `retryAfterMs` is a floor for the pause of the whole class.
 */
export function refused(
  before: RateState | undefined,
  now: number,
  sentAt: number,
  retryAfterMs: number | undefined,
): { readonly state: RateState; readonly result: undefined } {
  const state = asOf(before, now);
  const pause = Math.min(LONGEST_PAUSE_MS, Math.max(SHORTEST_PAUSE_MS, retryAfterMs ?? 0));
  const pausedUntil = Math.max(state.pausedUntil, now + pause);
  if (sentAt <= state.refusedAt) return { state: { ...state, pausedUntil }, result: undefined };
  const measured = state.windowCalls / Math.max(0.25, Math.min(1, (now - state.windowAt) / 1000));
  const known = learnedRate(state, now);
  const refusedRate = Math.max(LOWEST_RATE, known === null ? measured : Math.min(known, Math.max(measured, known / 2)));
  return { state: { ...state, pausedUntil, refusedRate, refusedAt: now, troubles: 0 }, result: undefined };
}

/** The service could not be reached or was down: everybody waits, twice as long each time, at most 30 s. */
export function troubled(
  before: RateState | undefined,
  now: number,
  retryAfterMs = 0,
): { readonly state: RateState; readonly result: undefined } {
  const state = asOf(before, now);
  if (now < state.pausedUntil) return { state, result: undefined };
  const backoff = Math.min(LONGEST_TROUBLE_MS, SHORTEST_PAUSE_MS * 2 ** state.troubles);
  const pause = Math.max(backoff, Math.min(LONGEST_PAUSE_MS, retryAfterMs));
  return {
    state: { ...state, pausedUntil: now + pause, troubles: Math.min(20, state.troubles + 1) },
    result: undefined,
  };
}

/** An answer came: trouble is over. */
export function answered(before: RateState | undefined): { readonly state: RateState; readonly result: undefined } {
  return { state: { ...FRESH_RATE, ...before, troubles: 0 }, result: undefined };
}
