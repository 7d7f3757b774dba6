import type { PollingSettings } from '../../contract/polling-settings.ts';
import type { Instant } from '../pacing/send-deadline.ts';

/**
 * When to poll a job again. The first poll comes after the provider's advised wait, the others at a fixed gap, which is
 * the best plan for unknown durations (exponential gaps poll most where jobs never end and least where they do). Jitter
 * keeps jobs that were created together from being read together.
 */
export type PollPlan = Pick<PollingSettings, 'firstLookMs' | 'pollGapMs'>;

/**
 * The schedule, as ages of a job in ms. All other questions about when or how often a plan polls follow from these two
 * functions, so another schedule is another pair. Learned ages take precedence: see `learned-polls.ts`.
 */
const SCHEDULE = {
  /** The age at which a job is polled first. */
  firstAge: ({ firstLookMs }: PollPlan): number => firstLookMs,
  /** Time to the next poll after one at an age. */
  gapAfter: ({ pollGapMs }: PollPlan, _ageMs: number): number => pollGapMs,
};

/**
 * When to poll a job for the first time, on the monotonic clock: the wall clock, which dates its acceptance, may have
 * been set back since, and everybody would wait for it.
 */
export function firstPoll(plan: PollPlan, planned: readonly number[] | null, acceptedAt: number, now: Instant): number {
  // Poll a job that is already old now; planned ages follow after that.
  const first = planned?.[0] ?? SCHEDULE.firstAge(plan);
  return now.monotonic + Math.min(first, Math.max(0, acceptedAt + first - now.wall));
}

/** Planned polls closer to the previous one than this share of the gap are skipped. */
const SAME_POLL = 0.12;

/**
 * The age of the next poll, after a poll (or the acceptance, 0) at an age. `planned`: the learned ages for such jobs,
 * see `learned-polls.ts`; beyond them the schedule continues. `random` in [0, 1) spreads polls, so that jobs that were
 * created together are not read together.
 */
export function nextAge(plan: PollPlan, planned: readonly number[] | null, ageMs: number, random: number): number {
  const gap = SCHEDULE.gapAfter(plan, ageMs);
  const next = planned?.find((age) => age > ageMs + SAME_POLL * gap);
  if (next === undefined) return ageMs + spread(gap, random);
  const most = Math.min(0.04 * (next - ageMs), (SAME_POLL / 2) * gap);
  return next + most * (2 * random - 1);
}

/** Time of the next poll by the schedule, after one at an age, made at `now`. */
export function nextPoll(plan: PollPlan, ageMs: number, now: number, random: number): number {
  return now + spread(SCHEDULE.gapAfter(plan, ageMs), random);
}

/** A gap varied by up to a tenth. */
function spread(gapMs: number, random: number): number {
  return gapMs * (0.9 + 0.2 * random);
}

/**
 * Share of the gap after which a failed poll is repeated, doubled for each further one in a row: a read costs nothing,
 * and the job may have ended.
 */
const AFTER_FAILED = 0.25;

/** Time of the next poll after this many (1 or more) failed polls in a row, the last one at an age, made at `now`. */
export function pollAfterFailure(plan: PollPlan, failed: number, ageMs: number, now: number, random: number): number {
  const part = Math.min(1, AFTER_FAILED * 2 ** Math.min(10, failed - 1));
  return now + spread(SCHEDULE.gapAfter(plan, ageMs) * part, random);
}

/** Share of the gap used for the last rows of a batch. */
const LAST_GAP = 0.25;
/** Saved polls needed per remaining row, before any of them is polled more often. */
const SAVED_A_ROW = 4;

/**
 * The plan for the last rows of a batch, once nothing is left to send: everything waits for the last job, so these are
 * polled more often. It spends only polls that learned ages have saved, so there are never more than with a fixed gap.
 */
export function planAtEnd<Plan extends PollPlan>(plan: Plan, rowsLeft: number | undefined, savedPolls: number): Plan {
  if (rowsLeft === undefined || savedPolls < SAVED_A_ROW * rowsLeft) return plan;
  return { ...plan, pollGapMs: plan.pollGapMs * LAST_GAP };
}

/** Max polls that the schedule is followed one by one. */
const MOST_POLLS = 5_000;

/** The ages at which the schedule polls a job that ends at an age, up to the poll that sees the end; 5,000 of them at most. */
export function scheduledAges(plan: PollPlan, endMs: number): readonly number[] {
  const ages = [SCHEDULE.firstAge(plan)];
  for (let age = ages[0] ?? 0; age < endMs && ages.length < MOST_POLLS; ages.push(age)) {
    const gap = SCHEDULE.gapAfter(plan, age);
    if (gap <= 0) break;
    age += gap;
  }
  return ages;
}

/** Polls that the schedule makes until one sees that a job has ended at this age. */
export function scheduledPolls(plan: PollPlan, endMs: number): number {
  const ages = scheduledAges(plan, endMs);
  const last = ages.at(-1) ?? 0;
  const gap = SCHEDULE.gapAfter(plan, last);
  return ages.length + (gap <= 0 ? 0 : Math.max(0, Math.ceil((endMs - last) / gap)));
}

/**
 * Polls due at about the same time are made together, at the nearest tick, ms. They share wake-ups and their
 * consequences.
 */
const TICK_MS = 50;
/** The nearest tick is at most half of this share of the gap away. */
const TICK = 0.1;

/** When to make a poll that is due at a time. */
export function onTick({ pollGapMs }: PollPlan, plannedAt: number): number {
  const tick = Math.min(TICK_MS, TICK * pollGapMs);
  return tick <= 0 ? plannedAt : Math.round(plannedAt / tick) * tick;
}

/** This many failed polls in a row end a job if nobody will fix the cause. */
export const FEW_FAILED_POLLS = 6;

/**
 * How many polls in a row must fail, after a job's deadline, before it is overdue unread: as many as fit into its whole
 * time.
 *
 * A job that can be read is overdue by its age. One that cannot be read proves nothing: after a night asleep every job
 * is past its deadline, the network is not up yet, and the API rejects the burst of polls that follows. So this counts
 * polls instead of time, which also passes during sleep.
 */
export function mostFailedPolls(plan: PollingSettings): number {
  return Math.max(FEW_FAILED_POLLS, scheduledPolls(plan, plan.jobDeadlineMs));
}

/**
 * Age of the first look at a job whose duration nobody knows, ms, and in gaps, whichever is more. As soon as one of its sort
 * has ended, its duration is known; until then, probes show that webhooks come.
 */
const UNKNOWN_MS = 600_000;
const UNKNOWN_GAPS = 10;
/** Share by which a job may outlast the longest known ones. */
const BEYOND = 1.2;
/** Each further look comes at this multiple of the age. */
const GROWTH = 1.5;

/** What the safety net needs to know of a job. */
export interface NetFacts {
  /** How long the longest of such jobs take, ms; undefined: not known. */
  readonly longestMs: number | undefined;
  /** The age at which the job is overdue, ms. */
  readonly deadlineMs: number;
}

/**
 * The age at which to look at a job next whose end a webhook should announce, after an age: when nearly all such jobs
 * have ended, then ever more rarely; and once when it is overdue.
 */
export function safetyAge(plan: PollPlan, { longestMs, deadlineMs }: NetFacts, ageMs: number): number {
  const { pollGapMs } = plan;
  const first =
    longestMs === undefined ? Math.max(UNKNOWN_MS, UNKNOWN_GAPS * pollGapMs) : BEYOND * longestMs + pollGapMs;
  const next = Math.max(first, GROWTH * ageMs, ageMs + pollGapMs);
  // Just after it, so that the look finds it overdue.
  return ageMs < deadlineMs ? Math.min(next, deadlineMs + 1) : next;
}
