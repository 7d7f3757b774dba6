/**
 * A limit of calls per second, learned from the API's refusals.
 *
 * The figure is how many calls of the trailing second were not refused when one was. If the API counts calls per
 * second, that is the limit itself. It is too low if calls had only just begun (a burst was refused), or if the refusal
 * had another reason. So a single figure is a guess, and the rate climbs from it at once. It is confirmed by a second
 * refusal at about the same figure, or by one where the rate in use was really reached. Then the rate is held just
 * below, and raised a little only after a long while, because each failed trial costs a refusal and the pause that the
 * API asks for.
 *
 * A rate that the user stated outweighs a single refusal: only a second one at the same figure can teach a far lower
 * rate.
 */
export interface LearnedLimit {
  /** The rate in use, calls per second. */
  readonly rate: number;
  /** Calls of all processes in the second before the last refusal that were not refused. */
  readonly counted: number;
  /** Each process's share of that count, so that its own later refusals of the same moment count once. */
  readonly counts: Readonly<Record<string, number>>;
  /** When the last refusal arrived that changed anything, ms. */
  readonly refusedAt: number;
  /**
   * `climb`: `counted` is a guess, and the rate rises quickly. `hold`: the rate stays until `holdUntil`. `probe`: it
   * rises slowly above the confirmed rate. `open`: it was disproved; only its history is kept for a while.
   */
  readonly phase: 'climb' | 'hold' | 'probe' | 'open';
  readonly holdUntil: number;
  /** Length of the last hold, ms; longer each time that a trial fails. */
  readonly holdMs: number;
  /** When the rate last rose, ms. */
  readonly climbedAt: number;
  /** The rate at which the present rise began, calls per second: in `probe`, the confirmed one. */
  readonly from: number;
  /** The rate held before a refusal showed that the limit is now lower; null if none. */
  readonly was: number | null;
}

/** A refusal, as one process received it. */
export interface Refusal {
  readonly owner: string;
  /** Its own calls in the second before the refused one was sent that were not refused. */
  readonly counted: number;
  /** The rate that the user stated, calls per second, or null. */
  readonly stated: number | null;
  readonly sentAt: number;
  readonly now: number;
}

/** No limit is ever assumed to be lower, calls per second. */
const MIN_RATE = 0.2;
/** Figures that differ by less than this share are equal. */
const EQUAL_WITHIN = 0.1;
/** A guess lowers a stated rate at most to this share of it. */
const MIN_SHARE_OF_STATED = 0.9;
/** A guess lowers a learned rate at most to this share of it. */
const MIN_SHARE_OF_LEARNED = 0.5;
/** Share of a stated or held rate to use after a single refusal. */
const SHARE_AFTER_REFUSAL = 0.99;
/** A refusal this soon after another says nothing about the rate held since, ms. */
const SETTLE_MS = 1_200;
/** Share of a held rate to use after a second refusal soon after. */
const SHARE_AFTER_SECOND_REFUSAL = 0.98;
/** Refusals at one figure confirm each other within this time, ms. */
const CONFIRM_WITHIN_MS = 10_000;
/**
 * How long a rate is held before it is raised again, ms: after a guess, a confirmed limit, a sudden drop; and at most.
 */
const FIRST_HOLD_MS = 2_000;
const CONFIRMED_HOLD_MS = 60_000;
const DROPPED_HOLD_MS = 8_000;
const MAX_HOLD_MS = 240_000;
/** A limit has dropped if the earlier one was more than this many times higher. */
const DROP_RATIO = 1.2;
/** After a hold, the limit is forgotten after this long without a refusal, ms. */
const FORGET_AFTER_MS = 120_000;
/** A limit is disproved once the rate has risen, without a refusal, to this multiple of where the rise began. */
const DISPROVED_RATIO = 8;
/** A confirmed limit is raised slowly up to this multiple, then quickly. */
const MAX_SLOW_RATIO = 1.15;
/** The slow rise per second, as a share of the confirmed limit. */
const PROBE_PER_SECOND = 0.05;
/** A climb counts at most this much time at once, ms, so that the rate does not leap after a silence. */
const MAX_STRIDE_MS = 500;

/** Returns the rate to keep, calls per second; null if no limit is known. */
export function learnedRate(limit: LearnedLimit | null): number | null {
  return limit === null || limit.phase === 'open' ? null : Math.max(MIN_RATE, limit.rate);
}

/**
 * Learns from a refusal. `others`: the calls of other processes in their last second, which the API counted too.
 * `pausedUntil`: end of the present or last pause, ms. A refused call that was sent before it was in flight
 * together with the call refused then, and both count as one refusal.
 */
export function learn(
  before: LearnedLimit | null,
  { owner, counted: own, stated, sentAt, now }: Refusal,
  { others, pausedUntil }: { readonly others: Readonly<Record<string, number>>; readonly pausedUntil: number },
): LearnedLimit {
  if (before !== null && sentAt < pausedUntil) return owner in before.counts ? before : addCount(before, owner, own);
  // Calls accepted earlier still fill the second.
  if (before?.phase === 'hold' && now - before.refusedAt < SETTLE_MS) return before;
  const counts = { ...others, [owner]: own };
  const counted = Math.max(MIN_RATE, sumOf(counts));
  const inUse = Math.min(stated ?? Infinity, learnedRate(before) ?? Infinity);
  const refusal = { counted, counts, refusedAt: now, climbedAt: now };
  const isRecent = before !== null && now - before.refusedAt <= CONFIRM_WITHIN_MS;
  const isSame = isRecent && Math.abs(counted - before.counted) <= EQUAL_WITHIN * before.counted;
  const isReached = counted >= (1 - EQUAL_WITHIN) * inUse;
  const was = before?.phase === 'climb' || before?.phase === 'open' ? before.was : (before?.rate ?? null);
  if (isSame || isReached) {
    const rate = Math.min(stated ?? Infinity, confirmed(before, counted, inUse, isRecent));
    const holdMs = holdAfter(before, was !== null && was > DROP_RATIO * rate);
    return { ...refusal, rate, from: rate, was, phase: 'hold', holdMs, holdUntil: now + holdMs };
  }
  const floor =
    inUse === Infinity ? 0 : inUse * (learnedRate(before) === null ? MIN_SHARE_OF_STATED : MIN_SHARE_OF_LEARNED);
  const rate = Math.max(counted, floor);
  return { ...refusal, rate, from: rate, was, phase: 'climb', holdMs: FIRST_HOLD_MS, holdUntil: now };
}

/** Returns the rate to hold after a confirming refusal, calls per second. */
function confirmed(before: LearnedLimit | null, counted: number, inUse: number, isRecent: boolean): number {
  // A single refusal may be chance, but giving up a hundredth of the rate costs less than another pause. A second one
  // soon after means that the rate was held too high.
  if (before?.phase === 'hold') return before.rate * (isRecent ? SHARE_AFTER_SECOND_REFUSAL : SHARE_AFTER_REFUSAL);
  // A trial above the confirmed rate failed: the confirmed rate was right.
  if (
    before?.phase === 'probe' &&
    counted >= (1 - EQUAL_WITHIN) * before.from &&
    counted <= (1 + EQUAL_WITHIN) * before.from
  )
    return before.from;
  const wasStated = before === null || before.phase === 'open';
  // Fully used and refused: the stated rate is slightly too high, or calls bunched together on their way.
  if (wasStated && counted >= (1 - EQUAL_WITHIN) * inUse) return inUse * SHARE_AFTER_REFUSAL;
  // Accepted calls never exceed the limit, so the higher of two figures is the better one.
  return isRecent && before !== null && counted < before.counted ? Math.min(before.counted, inUse) : counted;
}

/** Adds the calls of another process that was refused in the same moment. */
function addCount(before: LearnedLimit, owner: string, own: number): LearnedLimit {
  const counts = { ...before.counts, [owner]: own };
  const counted = Math.max(MIN_RATE, sumOf(counts));
  const rate = before.rate * (counted / before.counted);
  return { ...before, counts, counted, ...(before.phase === 'climb' ? { rate, from: rate } : {}) };
}

/** Returns how long to hold the rate, ms: short after a sudden drop, which may soon recover; doubled if it recurs. */
function holdAfter(before: LearnedLimit | null, isDrop: boolean): number {
  const last = before?.holdMs ?? 0;
  if (last >= DROPPED_HOLD_MS) return Math.min(MAX_HOLD_MS, last * 2);
  return isDrop ? DROPPED_HOLD_MS : CONFIRMED_HOLD_MS;
}

function sumOf(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}

/**
 * Brings the limit up to date: ends a hold that is over, and raises the rate by the time passed, up to the stated rate.
 * Only while a process needs more calls (`isShort`): an unused rate cannot be disproved. Null if the limit is
 * forgotten, because no refusal has come for long.
 */
export function climb(limit: LearnedLimit, isShort: boolean, stated: number | null, now: number): LearnedLimit | null {
  if (now - limit.refusedAt > limit.holdMs + FORGET_AFTER_MS) return null;
  if (limit.phase === 'open') return limit;
  if (limit.phase === 'hold') {
    return now < limit.holdUntil ? limit : { ...limit, phase: 'probe', from: limit.rate, climbedAt: now };
  }
  const seconds = Math.min(MAX_STRIDE_MS, Math.max(0, now - limit.climbedAt)) / 1000;
  if (!isShort) return { ...limit, climbedAt: now };
  const isSlow = limit.phase === 'probe' && limit.rate < limit.from * MAX_SLOW_RATIO;
  const rate = isSlow ? limit.rate + limit.from * PROBE_PER_SECOND * seconds : limit.rate * 2 ** seconds;
  const isDisproved = rate >= (stated ?? Infinity) || rate >= limit.from * DISPROVED_RATIO;
  return { ...limit, rate, climbedAt: now, phase: isDisproved ? 'open' : limit.phase };
}
