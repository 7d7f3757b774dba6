import { WORKER_CLOCK_SLACK_MS } from '../clocks.ts';
import { climb, learn, learnedRate, type LearnedLimit, type Refusal } from './learned-limit.ts';
import type { FailingCalls, Silence } from './silence.ts';

/**
 * The state of the rate that an API allows one account in one endpoint class, as pure steps on a small state that the
 * ledger keeps for all workers.
 *
 * A 429 says something about the API, not about the row: it pauses everybody, for at least `Retry-After`, and teaches a
 * limit (`learned-limit.ts`). Trouble (no answer, 503) pauses everybody with exponential backoff, and says nothing
 * about the rate.
 *
 * The rate itself is leased (`lease.ts`): each process gets a share of it for a moment, and paces its own calls.
 *
 * Times are ms on the wall clock, which the processes share.
 */
export interface RateState {
  /** No call before this time. */
  readonly pausedUntil: number;
  /** Consecutive pauses for trouble. */
  readonly troubles: number;
  /** When the last trouble began; answers to earlier calls say nothing new. */
  readonly troubledAt: number;
  /** When the first call of the consecutive troubles was sent. Meaningless while `troubles` is 0. */
  readonly troubledSince: number;
  /** The limit learned from refusals; null before the first. */
  readonly limit: LearnedLimit | null;
  /** Leased shares of the rate, by process and batch (`leaseKey` in `lease.ts`). */
  readonly leases: Readonly<Record<string, Lease>>;
}

/** A process's share of the rate for a batch. */
export interface Lease {
  readonly owner: string;
  readonly batch: string;
  /** Calls a second. */
  readonly share: number;
  /** The batch's own limit, calls a second, or null. */
  readonly limit: number | null;
  /** Calls per second that the process would make without a limit. */
  readonly want: number;
  /** Its calls in the second before its request that were not refused. */
  readonly used: number;
  readonly until: number;
}

/** The state before any call. */
export const FRESH_RATE: RateState = {
  pausedUntil: 0,
  troubles: 0,
  troubledAt: 0,
  troubledSince: 0,
  limit: null,
  leases: {},
};

/** Shortest pause of all processes after a refusal, ms. */
export const MIN_PAUSE_MS = 250;
/** Longest backoff while the API does not answer, ms. */
const MAX_TROUBLE_MS = 30_000;
/** Longest pause that is kept in one go, ms; if the API wants a longer one, it will say so again. */
const MAX_PAUSE_MS = 600_000;
/** How long ended leases are remembered, ms: their calls still count in a trailing second. */
const REMEMBER_LEASE_MS = 1_000;

/** Returns the state without expired leases, and without times that a clock wrote before it was set back. */
export function sanitizeState(before: Partial<RateState> | undefined, now: number): RateState {
  const state = { ...FRESH_RATE, ...before };
  const isReal = (time: number, ahead: number): boolean => time <= now + ahead + WORKER_CLOCK_SLACK_MS;
  const leases = Object.entries(state.leases).filter(
    ([, { until }]) => until > now - REMEMBER_LEASE_MS && isReal(until, REMEMBER_LEASE_MS),
  );
  const { limit } = state;
  return {
    pausedUntil: isReal(state.pausedUntil, MAX_PAUSE_MS) ? state.pausedUntil : now,
    troubles: state.troubles,
    troubledAt: Math.min(state.troubledAt, now),
    troubledSince: Math.min(state.troubledSince, now),
    limit: limit === null || !isReal(limit.refusedAt, 0) ? null : limit,
    leases: Object.fromEntries(leases),
  };
}

/** Records a 429. `retryAfterMs` is a floor for the pause of the whole class. */
export function recordRefusal(
  before: Partial<RateState> | undefined,
  refusal: Refusal & { readonly retryAfterMs?: number },
): RateState {
  const { now, retryAfterMs } = refusal;
  const state = sanitizeState(before, now);
  const pause = Math.min(MAX_PAUSE_MS, Math.max(MIN_PAUSE_MS, retryAfterMs ?? 0));
  const pausedUntil = Math.max(state.pausedUntil, now + pause);
  const leases = Object.values(state.leases);
  const others = othersCounts(leases, refusal);
  const stated = highestStated([refusal.stated, ...leases.map((lease) => lease.limit)]);
  const limit = learn(state.limit, { ...refusal, stated }, { others, pausedUntil: state.pausedUntil });
  return { ...state, pausedUntil, limit, troubles: 0 };
}

/**
 * Returns the stated rate of all batches together: the highest of their rates, because each batch keeps to its own.
 * Null if any batch has none.
 */
export function highestStated(limits: readonly (number | null)[]): number | null {
  return limits.reduce((highest, one) => (highest === null || one === null ? null : Math.max(highest, one)), 0);
}

/**
 * What other processes sent in the trailing second: what they reported at their last request, plus as much since then,
 * per share, as this process sent.
 */
function othersCounts(leases: readonly Lease[], { owner, counted, now }: Refusal): Record<string, number> {
  const shareOf = (name: string): number =>
    leases.reduce((sum, lease) => (lease.owner === name ? sum + lease.share : sum), 0);
  const part = counted / Math.max(counted, shareOf(owner));
  const counts: Record<string, number> = {};
  for (const { owner: name, used, share, until } of leases) {
    if (name !== owner && until > now) counts[name] = (counts[name] ?? 0) + Math.max(used, share * part);
  }
  return counts;
}

/** Raises the learned limit by the time passed if somebody needs it. */
export function raiseLimit(state: RateState, isShort: boolean, stated: number | null, now: number): RateState {
  if (state.limit === null) return state;
  const limit = climb(state.limit, isShort && state.pausedUntil <= now, stated, now);
  return limit === state.limit ? state : { ...state, limit };
}

/**
 * Records that the service was down or unreachable: everybody waits, twice as long each time, at most 30 s, and at
 * least as long as it asks for. Calls that were in flight together count as one trouble.
 */
export function recordTrouble(
  before: Partial<RateState> | undefined,
  { now, sentAt, retryAfterMs = 0 }: { readonly now: number; readonly sentAt: number; readonly retryAfterMs?: number },
): RateState {
  const state = sanitizeState(before, now);
  const requested = now + Math.min(MAX_PAUSE_MS, retryAfterMs);
  if (now < state.pausedUntil || sentAt <= state.troubledAt) {
    return retryAfterMs > 0 && requested > state.pausedUntil ? { ...state, pausedUntil: requested } : state;
  }
  const backoff = now + Math.min(MAX_TROUBLE_MS, MIN_PAUSE_MS * 2 ** state.troubles);
  return {
    ...state,
    pausedUntil: Math.max(backoff, requested),
    // Capped, because the backoff is a power of two.
    troubles: Math.min(20, state.troubles + 1),
    troubledAt: now,
    troubledSince: state.troubles === 0 ? Math.min(Math.round(sentAt), now) : state.troubledSince,
  };
}

/** Records an answer to a call that was sent after the last trouble: the trouble is over. */
export function recordAnswer(
  before: Partial<RateState> | undefined,
  { now, sentAt }: { readonly now: number; readonly sentAt: number },
): RateState {
  const state = sanitizeState(before, now);
  return sentAt <= state.troubledAt ? state : { ...state, troubles: 0 };
}

/** Whether and why the API slows the work down, for views. Times are ms. */
export interface ApiHealth {
  /** Null while the API answers. */
  readonly silence: Silence | null;
  /**
   * The rate that is kept because the API refused more (429), calls a second, and its last refusal; null without one.
   */
  readonly limited: { readonly rate: number; readonly refusedAt: number } | null;
}

/** Returns the calls that fail now; undefined if none do, or if the last failed before `since`, for other work. */
export function failingOf(state: Partial<RateState>, since: number): FailingCalls | undefined {
  const { troubles, troubledAt, troubledSince, pausedUntil } = { ...FRESH_RATE, ...state };
  return troubles > 0 && troubledAt >= since ? { since: troubledSince, lastAt: troubledAt, pausedUntil } : undefined;
}

/** Returns the learned limit in use; null if there is none, or if the last refusal was before `since`. */
export function limitedOf({ limit = null }: Partial<RateState>, since: number): ApiHealth['limited'] {
  const rate = learnedRate(limit);
  return limit === null || rate === null || limit.refusedAt < since ? null : { rate, refusedAt: limit.refusedAt };
}
