/**
 * A limit of calls a second that an API has, as far as its refusals tell.
 *
 * What counts is how many calls of the trailing second were not refused, when one was. That is the limit itself, if the API counts calls in
 * a second. It is too little if calls had only just begun (a burst was refused), or if the refusal had another reason. So one
 * figure is a guess: the rate climbs from it at once. A second refusal at about the same figure, or one where the rate in use was
 * really reached, confirms it, and so does a first one if most other calls that were in flight were refused, too. Then the rate is
 * held just below, and tried a little beyond only after a long while, because each trial that fails costs a refusal and the pause that the
 * API asks for.
 *
 * A rate that the user stated is believed more than one refusal: it takes a second one at the same figure to learn a rate far below.
 */
export interface LearnedLimit {
  /** The rate in use, calls a second. */
  readonly rate: number;
  /** Calls in the second before the last refusal that were not refused, of all processes. */
  readonly counted: number;
  /** What of it each process counted, so that its own later refusals of the same moment count once. */
  readonly counts: Readonly<Record<string, number>>;
  /** When the last refusal was heard that brought news, ms. */
  readonly refusedAt: number;
  /**
   * `climb`: `counted` is a guess, the rate rises quickly. `hold`: it is held until `holdUntil`. `probe`: it rises slowly beyond what
   * was confirmed. `open`: it has been disproved; only how it was learned is kept for a while.
   */
  readonly phase: 'climb' | 'hold' | 'probe' | 'open';
  readonly holdUntil: number;
  /** How long the last hold was, ms; longer each time that a trial fails. */
  readonly holdMs: number;
  /** When the rate last rose, ms. */
  readonly climbedAt: number;
  /** The rate from which the climb began, calls a second. */
  readonly from: number;
  /** The rate that was held before a refusal showed that the limit is lower now; null if none was. */
  readonly was: number | null;
}

/** A refusal, as a process heard it. */
export interface Refusal {
  readonly owner: string;
  /** Its own calls in the second before the refused one was sent that were not refused. */
  readonly counted: number;
  /** The rate that the user stated, calls a second, or null. */
  readonly stated: number | null;
  readonly sentAt: number;
  readonly now: number;
}

/** What became of a process's calls around a refusal that it told of. */
export interface Wave {
  /** Other calls that were in flight when it was heard, and that were refused as well. */
  readonly refused: number;
  /** Calls that were sent after the refused one and before it was heard, and that were not refused. */
  readonly taken: number;
  /** Its calls in the second before the refused one that were not refused, now that all are answered. */
  readonly counted: number;
}

const LOWEST_RATE = 0.2;
/** Figures that differ by less than this are the same. */
const SAME = 0.1;
/** A rate that the user stated is not left by more than this at the first refusal. */
const STATED_FLOOR = 0.9;
/** What is left of a rate that was refused though it is the stated one, or one that is held, until it is tried again. */
const NEARLY = 0.99;
/** A refusal within this after another one says nothing about the rate that is held since, ms. */
const SETTLE_MS = 1_200;
/** What is left of a rate that is refused twice while it is held. */
const LESS = 0.98;
/** Refusals at one figure confirm each other if they are no further apart than this, ms. */
const CONFIRM_WITHIN_MS = 10_000;
const FIRST_HOLD_MS = 2_000;
/** A rate that the user stated is nearly right: the hundredth that is left out costs less than the next refusal, ms. */
const STATED_HOLD_MS = 30_000;
/** A limit that one wave has proved is held for so many times the pause that a trial costs, for each call of the wave that proves it. */
const PAUSES_HELD = 40;
const CONFIRMED_HOLD_MS = 60_000;
const DROPPED_HOLD_MS = 8_000;
const LONGEST_HOLD_MS = 240_000;
/** A limit fell if the one before was so many times higher. */
const DROPPED = 1.2;
/** Without a refusal for so long after a hold the limit is no longer known, ms. */
const FORGET_AFTER_MS = 120_000;
/** A guess that was exceeded so many times over is disproved. */
const DISPROVED = 8;
/** A limit that was confirmed is tried slowly up to here, then quickly. */
const PROBE_TO = 1.15;
const PROBE_PER_SECOND = 0.05;
/** A climb takes account of so much time at once, ms, so that nobody leaps after a silence. */
const LONGEST_STRIDE_MS = 500;

/** The rate to keep to, calls a second; null where no limit is known. */
export function learnedRate(limit: LearnedLimit | null): number | null {
  return limit === null || limit.phase === 'open' ? null : Math.max(LOWEST_RATE, limit.rate);
}

/**
 * What a refusal teaches. `others`: the calls of other processes in their last second, which the API counted too. Refusals of calls
 * that were in flight together are one piece of news.
 */
export function learn(
  before: LearnedLimit | null,
  { owner, counted: own, stated, sentAt, now }: Refusal,
  { others, pausedUntil }: { readonly others: Readonly<Record<string, number>>; readonly pausedUntil: number },
): LearnedLimit {
  if (before !== null && sentAt < pausedUntil) return owner in before.counts ? before : addCount(before, owner, own);
  // What was accepted before still fills the second.
  if (before?.phase === 'hold' && now - before.refusedAt < SETTLE_MS) return before;
  const counts = { ...others, [owner]: own };
  const counted = Math.max(LOWEST_RATE, sumOf(counts));
  const inUse = Math.min(stated ?? Infinity, learnedRate(before) ?? Infinity);
  const refusal = { counted, counts, refusedAt: now, climbedAt: now };
  const isRecent = before !== null && now - before.refusedAt <= CONFIRM_WITHIN_MS;
  const isSame = isRecent && Math.abs(counted - before.counted) <= SAME * before.counted;
  const isReached = counted >= (1 - SAME) * inUse;
  const was =
    before === null || before.phase === 'hold' || before.phase === 'probe' ? (before?.rate ?? null) : before.was;
  if (isSame || isReached) {
    const rate = Math.min(stated ?? Infinity, confirmed(before, counted, inUse, isRecent));
    const isNearly = stated !== null && rate >= STATED_FLOOR * stated;
    const holdMs = holdAfter(before, was !== null && was > DROPPED * rate, isNearly);
    return { ...refusal, rate, from: rate, was, phase: 'hold', holdMs, holdUntil: now + holdMs };
  }
  const floor = inUse === Infinity ? 0 : inUse * (learnedRate(before) === null ? STATED_FLOOR : 0.5);
  const rate = Math.max(counted, floor);
  return { ...refusal, rate, from: rate, was, phase: 'climb', holdMs: FIRST_HOLD_MS, holdUntil: now };
}

/**
 * Holds a guess at once if one wave of calls has proved it: most that were in flight at the refusal were refused, too. After a stray refusal
 * they would have been taken; and one or the other that is may have overtaken the refused one on its way.
 */
export function prove(limit: LearnedLimit, owner: string, wave: Wave, now: number): LearnedLimit {
  const { phase, counts, was, rate: guess, from, refusedAt } = limit;
  const isFirst = phase === 'climb' && guess === from && was === null;
  const own = counts[owner];
  if (!isFirst || own === undefined || wave.refused <= wave.taken) return limit;
  // Of its own calls, those that were on their way before the refused one are told apart by now.
  const rate = Math.max(LOWEST_RATE, Math.min(guess, limit.counted - own + wave.counted));
  const holdMs = Math.min(CONFIRMED_HOLD_MS, PAUSES_HELD * wave.refused * Math.max(0, now - refusedAt));
  return { ...limit, rate, from: rate, counted: rate, phase: 'hold', holdMs, holdUntil: now + holdMs };
}

/** The rate to hold after a refusal that confirms it. */
function confirmed(before: LearnedLimit | null, counted: number, inUse: number, isRecent: boolean): number {
  // By chance perhaps, but a hundredth of the rate costs less than the pause of one more; soon after another one it was held too high.
  if (before?.phase === 'hold') return before.rate * (isRecent ? LESS : NEARLY);
  // A trial beyond what was confirmed failed: it was right.
  if (before?.phase === 'probe' && counted >= (1 - SAME) * before.from && counted <= (1 + SAME) * before.from)
    return before.from;
  const wasStated = before === null || before.phase === 'open';
  // Used to the full and refused: the stated rate is a little too much, or calls came together on their way.
  if (wasStated && counted >= (1 - SAME) * inUse) return inUse * NEARLY;
  // What was accepted in a second is no more than the limit, so of two figures the higher is the better one.
  return isRecent && before !== null && counted < before.counted ? Math.min(before.counted, inUse) : counted;
}

/** One more process was refused in the same moment: what it had sent counts, too. */
function addCount(before: LearnedLimit, owner: string, own: number): LearnedLimit {
  const counts = { ...before.counts, [owner]: own };
  const counted = Math.max(LOWEST_RATE, sumOf(counts));
  const rate = before.rate * (counted / before.counted);
  return { ...before, counts, counted, ...(before.phase === 'climb' ? { rate, from: rate } : {}) };
}

/** A limit that was lower all at once may soon be what it was. */
function holdAfter(before: LearnedLimit | null, isDrop: boolean, isNearlyStated: boolean): number {
  const last = before?.holdMs ?? 0;
  if (isNearlyStated) return Math.max(STATED_HOLD_MS, Math.min(CONFIRMED_HOLD_MS, last * 2));
  if (last >= DROPPED_HOLD_MS) return Math.min(LONGEST_HOLD_MS, last * 2);
  return isDrop ? DROPPED_HOLD_MS : CONFIRMED_HOLD_MS;
}

function sumOf(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}

/**
 * Lets the rate rise by the time that passed. Only while somebody is short of it: a rate that nobody uses cannot be disproved.
 * It ends at the stated rate.
 */
export function climb(limit: LearnedLimit, isShort: boolean, stated: number | null, now: number): LearnedLimit | null {
  if (now - limit.refusedAt > limit.holdMs + FORGET_AFTER_MS) return null;
  if (limit.phase === 'open') return limit;
  if (limit.phase === 'hold') {
    return now < limit.holdUntil ? limit : { ...limit, phase: 'probe', from: limit.rate, climbedAt: now };
  }
  const seconds = Math.min(LONGEST_STRIDE_MS, Math.max(0, now - limit.climbedAt)) / 1000;
  if (!isShort) return { ...limit, climbedAt: now };
  const isSlow = limit.phase === 'probe' && limit.rate < limit.from * PROBE_TO;
  const rate = isSlow ? limit.rate + limit.from * PROBE_PER_SECOND * seconds : limit.rate * 2 ** seconds;
  const isDisproved = rate >= (stated ?? Infinity) || rate >= limit.from * DISPROVED;
  return { ...limit, rate, climbedAt: now, phase: isDisproved ? 'open' : limit.phase };
}
