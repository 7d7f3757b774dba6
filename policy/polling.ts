import type { Instant } from './send-deadline.ts';

/**
 * When to poll a job again. The first poll comes after the provider's advised wait; then at a fixed gap, which is the
 * best plan for durations of which nothing is known (exponential gaps poll most where jobs never end and least where
 * they do). Jitter keeps jobs that were created together from being read together.
 */
export interface PollPlan {
  /** ms from acceptance to the first poll. */
  readonly firstLookMs: number;
  /** ms between polls, before jitter. */
  readonly pollGapMs: number;
}

/**
 * When to poll a job for the first time, on the monotonic clock: the wall clock, by which its acceptance is on record, may have
 * been set back since, and would then make everybody wait for it.
 */
export function firstPoll(plan: PollPlan, planned: readonly number[] | null, acceptedAt: number, now: Instant): number {
  // A job that is old already is polled now; what is planned for jobs of its age comes after that.
  const first = planned?.[0] ?? plan.firstLookMs;
  return now.monotonic + Math.min(first, Math.max(0, acceptedAt + first - now.wall));
}

/** Polls that were planned closer than this part of the gap to the one before are left out. */
const SAME_POLL = 0.12;

/**
 * The age at which a job is polled next, after a poll (or its acceptance, 0) at an age. `planned`: the best ages for jobs of its sort, see
 * `poll-ages.ts`; beyond them the gap goes on. `random` in [0, 1) spreads polls, so that jobs that were created together are not read
 * together.
 */
export function nextAge(plan: PollPlan, planned: readonly number[] | null, ageMs: number, random: number): number {
  const next = planned?.find((age) => age > ageMs + SAME_POLL * plan.pollGapMs);
  if (next === undefined) return ageMs + plan.pollGapMs * (0.9 + 0.2 * random);
  const spread = Math.min(0.04 * (next - ageMs), (SAME_POLL / 2) * plan.pollGapMs);
  return next + spread * (2 * random - 1);
}

/** A poll that failed is made again after this part of the gap, doubled for each more in a row: a read costs nothing, and the job may have ended. */
const AFTER_FAILED = 0.25;

/** Time of the next poll after so many (1 or more) in a row that found the service in trouble, the last one at `now`. */
export function pollAfterFailure(plan: PollPlan, failed: number, now: number, random: number): number {
  const part = Math.min(1, AFTER_FAILED * 2 ** Math.min(10, failed - 1));
  return nextPoll({ ...plan, pollGapMs: plan.pollGapMs * part }, now, random);
}

/** Part of the gap that is left for the last rows of a batch. */
const LAST_GAP = 0.25;
/** Polls that must have been saved for each row that is left, before any of them is polled more often. */
const SAVED_A_ROW = 4;

/**
 * The plan for the last rows of a batch, which nobody sends anything after: all wait for the last job, so it is polled more often.
 * Only polls are spent that learned ones have saved before, so there are never more of them than with a fixed gap.
 */
export function planAtEnd<Plan extends PollPlan>(plan: Plan, rowsLeft: number | undefined, savedPolls: number): Plan {
  if (rowsLeft === undefined || savedPolls < SAVED_A_ROW * rowsLeft) return plan;
  return { ...plan, pollGapMs: plan.pollGapMs * LAST_GAP };
}

/** Polls that the plan itself makes at a job until one sees that it has ended, at this age. */
export function pollsOfPlan({ firstLookMs, pollGapMs }: PollPlan, ageMs: number): number {
  if (pollGapMs <= 0) return 1;
  return 1 + Math.max(0, Math.ceil((ageMs - firstLookMs) / pollGapMs));
}

/** Polls of about the same time are made together, at the nearest tick, ms. They share wake-ups and what they bring about. */
const TICK_MS = 50;
/** And the nearest tick is no further from the plan than half of this part of the gap. */
const TICK = 0.1;

/** When a poll that was planned for a moment is made. */
export function onTick({ pollGapMs }: PollPlan, plannedAt: number): number {
  const tick = Math.min(TICK_MS, TICK * pollGapMs);
  return tick <= 0 ? plannedAt : Math.round(plannedAt / tick) * tick;
}

/** Time of the next poll after one at `now`; `random` in [0, 1) spreads it by ±10 %. */
export function nextPoll(plan: PollPlan, now: number, random: number): number {
  return now + plan.pollGapMs * (0.9 + 0.2 * random);
}
