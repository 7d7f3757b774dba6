import { learnedRate } from './learned-limit.ts';
import { sanitizeState, raiseLimit, highestStated, type Lease, type RateState } from './rate.ts';

/**
 * Divides the rate among processes: each leases a share from the ledger for less than a second, and paces its own calls
 * within it (`pacer.ts`).
 */

/** A process's request for a share of the rate. */
export interface LeaseRequest {
  /** The process. */
  readonly owner: string;
  readonly batch: string;
  /** The user's own rate for the batch, calls per second, or null. */
  readonly limit: number | null;
  /** Calls per second that the process would make without a limit. */
  readonly want: number;
  /** Its calls of the last second that were not refused. */
  readonly used: number;
  /** True if calls have waited for a slot since its last request. */
  readonly isShort: boolean;
  /** Wall clock, ms. */
  readonly now: number;
}

/** What a process may do until it asks again. Durations instead of times, because it paces itself by another clock. */
export interface LeaseAnswer {
  /** Calls per second; null without a limit. 0: all of it is leased to others at the moment. */
  readonly rate: number | null;
  /** Make no call for this long, ms. */
  readonly pauseMs: number;
  /** True if the service was down or unreachable: then report the next good answer. */
  readonly isTroubled: boolean;
  /** True if nobody else makes calls, so that missed slots may be made up for. */
  readonly isAlone: boolean;
  /** True if users stated the rate; false if refusals taught it, or nothing limits the calls. */
  readonly isStated: boolean;
}

/** How long a share is leased, ms. A process that dies keeps its share from the others this long. */
export const LEASE_MS = 750;
/** Each process gets at least this part of the rate, so that it can start at once. */
const MIN_PART = 0.05;
/** Calls beyond a fractional share that a single second may have. */
const USUAL_EXCESS = 1;

/**
 * Leases a process a share of the rate for {@link LEASE_MS}. The shares never add up to more than the limit: a process
 * that must give way does so at its next request. Batches of one account share the rate. If their own rates differ,
 * each keeps to its own, and the slower one does not hold up the quicker one.
 */
export function lease(
  before: RateState | undefined,
  ask: LeaseRequest,
): { readonly state: RateState; readonly result: LeaseAnswer } {
  const { owner, batch, limit, now } = ask;
  const clean = sanitizeState(before, now);
  const key = leaseKey(owner, batch);
  const all = Object.entries(clean.leases).filter(([other]) => other !== key);
  const others = all.map(([, other]) => other).filter(({ until }) => until > now);
  const stated = highestStated([limit, ...others.map((other) => other.limit)]);
  const state = raiseLimit(clean, ask.isShort, stated, now);
  const learned = learnedRate(state.limit) ?? Infinity;
  const cap = Math.min(limit ?? Infinity, learned);
  const common = {
    pauseMs: Math.max(0, state.pausedUntil - now),
    isTroubled: state.troubles > 0,
  };
  if (cap === Infinity) {
    const next = { ...state, leases: Object.fromEntries(all) };
    return {
      state: isSameAs(before, next) ? before : next,
      result: { ...common, rate: null, isAlone: true, isStated: false },
    };
  }
  const whole = Math.max(cap, ...others.map((other) => Math.min(other.limit ?? Infinity, learned)));
  const want = Math.min(ask.want, cap);
  const ofBatch = others.filter((other) => other.batch === batch);
  const share = Math.max(0, Math.min(shareOf(whole, want, others), shareOf(cap, want, ofBatch)));
  const own: Lease = { owner, batch, share, limit, want, used: ask.used, until: now + LEASE_MS };
  return {
    state: { ...state, leases: { ...state.leases, [key]: own } },
    result: {
      ...common,
      rate: share,
      isAlone: all.length === 0,
      isStated: limit !== null && limit <= learned,
    },
  };
}

/**
 * Returns a process's fair share of a rate: an equal one, or less if it wants less, within what is not leased. `whole`:
 * the rate; `want`: what the process could use; `others`: the leases of the others. All in calls per second.
 */
function shareOf(whole: number, want: number, others: readonly Lease[]): number {
  if (others.length === 0) return whole;
  const min = whole * MIN_PART;
  const byWant = others
    .map(({ want, share }) => ({ want: Math.max(min, want), share }))
    .sort((a, b) => a.want - b.want);
  let left = whole;
  let sharers = byWant.length + 1;
  const own = Math.max(min, want);
  // A process that wants less than an equal share leaves the rest to the others.
  for (const other of byWant) {
    if (other.want >= left / sharers) break;
    left -= other.want;
    sharers -= 1;
  }
  const even = left / sharers;
  const equals = byWant.slice(byWant.length - sharers + 1).map(({ share }) => share);
  const fair = own < even ? Math.min(whole, own * 2) : inWholeCalls(even, equals);
  return Math.min(fair, whole - others.reduce((sum, other) => sum + partOf(other), 0));
}

/**
 * The part of the whole that a process occupies: its share, or its calls of the last second if clearly more. In that
 * case it has given way to others, but the API still counts its calls.
 */
function partOf({ share, used }: Lease): number {
  return used > share + USUAL_EXCESS ? used : share;
}

/**
 * An equal share in whole calls per second. The remainder goes to whoever asks first: half a call per second is one
 * call in some seconds, and those could be the same seconds for everybody. Shares below one call per second are not
 * rounded, or some processes would get none.
 */
function inWholeCalls(even: number, equals: readonly number[]): number {
  const part = Math.floor(even);
  if (part < 1) return even;
  const taken = equals.reduce((sum, share) => sum + Math.max(0, share - part), 0);
  return part + Math.min(1, Math.max(0, (even - part) * (equals.length + 1) - taken));
}

/** Returns the key of a lease in `RateState.leases`. */
function leaseKey(owner: string, batch: string): string {
  return `${owner} ${batch}`;
}

/** Whether the state is unchanged, so that nothing need be written. */
function isSameAs(before: RateState | undefined, after: RateState): before is RateState {
  return JSON.stringify(before) === JSON.stringify(after);
}
