import type { Instant } from './send-deadline.ts';

/**
 * When to look at a job again. The first look comes after the provider's advised wait; then at a fixed gap, which is the
 * best plan for durations of which nothing is known (exponential gaps look most where jobs never end and least where
 * they do). Jitter keeps jobs that were created together from being read together.
 */
export interface LookPlan {
  /** ms from acceptance to the first look. */
  readonly firstLookMs: number;
  /** ms between looks, before jitter. */
  readonly pollGapMs: number;
}

/**
 * When to look at a job for the first time, on the monotonic clock: the wall clock, by which its acceptance is on record, may have
 * been set back since, and would then make everybody wait for it.
 */
export function firstLook(plan: LookPlan, planned: readonly number[] | null, acceptedAt: number, now: Instant): number {
  // A job that is old already is looked at now; what is planned for jobs of its age comes after that.
  const first = planned?.[0] ?? plan.firstLookMs;
  return now.monotonic + Math.min(first, Math.max(0, acceptedAt + first - now.wall));
}

/** Looks that were planned closer than this part of the gap to the one before are left out. */
const SAME_LOOK = 0.12;

/**
 * The age at which a job is looked at next, after a look (or its acceptance, 0) at an age. `planned`: the best ages for jobs of its sort, see
 * `look-plan.ts`; beyond them the gap goes on. `random` in [0, 1) spreads looks, so that jobs that were created together are not read
 * together.
 */
export function nextAge(plan: LookPlan, planned: readonly number[] | null, ageMs: number, random: number): number {
  const next = planned?.find((age) => age > ageMs + SAME_LOOK * plan.pollGapMs);
  if (next === undefined) return ageMs + plan.pollGapMs * (0.9 + 0.2 * random);
  const spread = Math.min(0.04 * (next - ageMs), (SAME_LOOK / 2) * plan.pollGapMs);
  return next + spread * (2 * random - 1);
}

/** A look that failed is made again after this part of the gap, doubled for each more in a row: a read costs nothing, and the job may have ended. */
const AFTER_FAILED = 0.25;

/** Time of the next look after so many (1 or more) in a row that found the service in trouble, the last one at `now`. */
export function lookAfterFailed(plan: LookPlan, failed: number, now: number, random: number): number {
  const part = Math.min(1, AFTER_FAILED * 2 ** Math.min(10, failed - 1));
  return nextLook({ ...plan, pollGapMs: plan.pollGapMs * part }, now, random);
}

/** Part of the gap that is left for the last rows of a batch. */
const LAST_GAP = 0.25;
/** Looks that must have been saved for each row that is left, before any of them is looked at more often. */
const SAVED_A_ROW = 4;

/**
 * The plan for the last rows of a batch, which nobody sends anything after: all wait for the last job, so it is looked at more often.
 * Only looks are spent that learned ones have saved before, so there are never more of them than with a fixed gap.
 */
export function planAtEnd<Plan extends LookPlan>(plan: Plan, rowsLeft: number | undefined, savedLooks: number): Plan {
  if (rowsLeft === undefined || savedLooks < SAVED_A_ROW * rowsLeft) return plan;
  return { ...plan, pollGapMs: plan.pollGapMs * LAST_GAP };
}

/** Looks that the plan itself makes at a job until one sees that it has ended, at this age. */
export function looksOfPlan({ firstLookMs, pollGapMs }: LookPlan, ageMs: number): number {
  if (pollGapMs <= 0) return 1;
  return 1 + Math.max(0, Math.ceil((ageMs - firstLookMs) / pollGapMs));
}

/** Looks of about the same time are made together, at the nearest tick, ms. They share wake-ups and what they bring about. */
const TICK_MS = 50;
/** And the nearest tick is no further from the plan than half of this part of the gap. */
const TICK = 0.1;

/** When a look that was planned for a moment is made. */
export function onTick({ pollGapMs }: LookPlan, plannedAt: number): number {
  const tick = Math.min(TICK_MS, TICK * pollGapMs);
  return tick <= 0 ? plannedAt : Math.round(plannedAt / tick) * tick;
}

/** Time of the next look after one at `now`; `random` in [0, 1) spreads it by ±10 %. */
export function nextLook(plan: LookPlan, now: number, random: number): number {
  return now + plan.pollGapMs * (0.9 + 0.2 * random);
}
