import { learnedRate, type Wave } from './learned-limit.ts';
import { asOf, climbed, highestStated, isFree, type Lease, type RateState } from './rate.ts';

/** Who asks for a share of the pace. */
export interface LeaseAsk {
  /** The process. */
  readonly owner: string;
  readonly batch: string;
  /** The user's own rate for the batch, calls a second, or null. */
  readonly limit: number | null;
  /** Calls a second that the process would make if it could. */
  readonly want: number;
  /** Calls that it made in the last second and that were not refused. */
  readonly used: number;
  /** True if calls waited for their turn since it last asked. */
  readonly isShort: boolean;
  /** What became of its calls around the last refusal that it told of, if there was one. */
  readonly wave?: Wave;
  /** Wall clock, ms. */
  readonly now: number;
}

/** What a process may do until it asks again. Spans rather than times, for it paces itself by another clock. */
export interface LeaseAnswer {
  /** Calls a second; null where nothing limits them. 0: all of it is lent to others for the moment. */
  readonly rate: number | null;
  /** True if nothing is known that could soon change this answer. */
  readonly isFree: boolean;
  /** No call for so long, ms. */
  readonly pauseMs: number;
  /** True if the service could not be reached or was down: a good answer is news. */
  readonly isTroubled: boolean;
  /** True if nobody else makes calls, so that slots that were missed may be made up for. */
  readonly isAlone: boolean;
  /** True if users have stated what is shared; false if refusals have taught it, or nothing limits the calls. */
  readonly isStated: boolean;
}

/** How long a share is lent, ms. A process that dies keeps its share from the others for so long. */
export const LEASE_MS = 750;
/** Part of the whole that each process is granted at least, so that it can begin at once when it has something to do. */
const LEAST_PART = 0.05;
/** Calls beyond a share that a second may have because it is no whole number of them. */
const USUAL_EXCESS = 1;

/**
 * Lends a process a share of the pace for {@link LEASE_MS}. The shares never add up to more than the limit: one that must give way does
 * so when it asks next. Batches of one account share what there is; where their rates differ, each keeps to its own, and the slower
 * one does not hold the quicker one up.
 */
export function lease(
  before: RateState | undefined,
  ask: LeaseAsk,
): { readonly state: RateState; readonly result: LeaseAnswer } {
  const { owner, batch, limit, now } = ask;
  const clean = asOf(before, now);
  const key = leaseKey(owner, batch);
  const all = Object.entries(clean.leases).filter(([other]) => other !== key);
  const others = all.map(([, other]) => other).filter(({ until }) => until > now);
  const stated = highestStated([limit, ...others.map((other) => other.limit)]);
  const state = climbed(clean, ask, stated, now);
  const learned = learnedRate(state.limit) ?? Infinity;
  const cap = Math.min(limit ?? Infinity, learned);
  const common = {
    isFree: isFree(state, now),
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
      isFree: false,
      isAlone: all.length === 0,
      isStated: limit !== null && limit <= learned,
    },
  };
}

/** A fair share of the whole by what each wants, and no more than is not lent. */
function shareOf(whole: number, want: number, others: readonly Lease[]): number {
  if (others.length === 0) return whole;
  const least = whole * LEAST_PART;
  const byWant = others
    .map(({ want, share }) => ({ want: Math.max(least, want), share }))
    .sort((a, b) => a.want - b.want);
  let [left, sharers] = [whole, byWant.length + 1];
  const own = Math.max(least, want);
  // Who wants less than an equal part leaves the rest to the others.
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
 * What a process takes of the whole: its share, or the calls that it made in the last second where they were clearly more. It has given way to
 * others then, and its calls still count where the API counts them.
 */
function partOf({ share, used }: Lease): number {
  return used > share + USUAL_EXCESS ? used : share;
}

/**
 * An equal part in whole calls a second: what is left over goes to whoever asks first, for half a call a second is one call in some seconds, and
 * those may be the same ones for everybody. Less than one call a second is not rounded, or some would have nothing.
 */
function inWholeCalls(even: number, equals: readonly number[]): number {
  const part = Math.floor(even);
  if (part < 1) return even;
  const taken = equals.reduce((sum, share) => sum + Math.max(0, share - part), 0);
  return part + Math.min(1, Math.max(0, (even - part) * (equals.length + 1) - taken));
}

/** Names a lease. */
function leaseKey(owner: string, batch: string): string {
  return `${owner} ${batch}`;
}

/** True if there is nothing to write. */
function isSameAs(before: RateState | undefined, after: RateState): before is RateState {
  return JSON.stringify(before) === JSON.stringify(after);
}
