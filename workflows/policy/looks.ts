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
export function firstLook(plan: LookPlan, acceptedAt: number, now: Instant): number {
  const wait = acceptedAt + plan.firstLookMs - now.wall;
  return now.monotonic + Math.min(plan.firstLookMs, Math.max(0, wait));
}

/** Time of the next look after one at `now`; `random` in [0, 1) spreads it by ±10 %. */
export function nextLook(plan: LookPlan, now: number, random: number): number {
  return now + plan.pollGapMs * (0.9 + 0.2 * random);
}
