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

/** Time of the next look after one at `now`; `random` in [0, 1) spreads it by ±10 %. */
export function nextLook(plan: LookPlan, now: number, random: number): number {
  return now + plan.pollGapMs * (0.9 + 0.2 * random);
}
