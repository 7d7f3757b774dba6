import type { PollingSettings } from '../../contract/polling-settings.ts';
import type { Instant } from '../pacing/send-deadline.ts';

/**
 * When to poll a job again. The first poll comes after the provider's advised wait, or once such jobs begin to end
 * (`job-times.ts`); the others at a fixed gap, which is the best plan for unknown durations (exponential gaps poll most
 * where jobs never end and least where they do). Jitter keeps jobs that were created together from being read together.
 */
export type PollPlan = Pick<PollingSettings, 'firstLookMs' | 'pollGapMs'>;

/**
 * When to poll a job for the first time, on the monotonic clock: the wall clock, which dates its acceptance, may have
 * been set back since, and everybody would wait for it. `earlyMs`: the age before which hardly any such job has ended.
 */
export function firstPoll({ firstLookMs }: PollPlan, earlyMs: number, acceptedAt: number, now: Instant): number {
  // Poll a job that is already old now.
  const first = Math.max(firstLookMs, earlyMs);
  return now.monotonic + Math.min(first, Math.max(0, acceptedAt + first - now.wall));
}

/** Time of the next poll after one made at `now`; `random` in [0, 1) varies the gap by up to a tenth. */
export function nextPoll({ pollGapMs }: PollPlan, now: number, random: number): number {
  return now + pollGapMs * (0.9 + 0.2 * random);
}

/**
 * Polls due at about the same time are made together, at the nearest tick, ms. They share wake-ups and their
 * consequences.
 */
const TICK_MS = 50;
/** The nearest tick is at most half of this share of the gap away. */
const TICK = 0.1;

/** When to make a poll that is due at a time. */
export function roundToTick({ pollGapMs }: PollPlan, plannedAt: number): number {
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
export function mostFailedPolls({ pollGapMs, jobDeadlineMs }: PollingSettings): number {
  return Math.max(FEW_FAILED_POLLS, Math.ceil(jobDeadlineMs / Math.max(1, pollGapMs)));
}

/**
 * Age at which a job of unknown duration is first polled, in ms and in poll gaps, whichever is more. The duration is
 * known once one job of the operation has ended; until then, probes show whether webhooks arrive.
 */
const UNKNOWN_MS = 600_000;
const UNKNOWN_GAPS = 10;
/** Share by which a job may outlast the longest known ones. */
const BEYOND = 1.2;
/** Each further look comes at this multiple of the age. */
const GROWTH = 1.5;

/** Facts about a job that the safety net needs. */
export interface SafetyPollFacts {
  /** Longest known duration of such jobs, ms; undefined if unknown. */
  readonly longestMs: number | undefined;
  /** The age at which the job is overdue, ms. */
  readonly deadlineMs: number;
}

/**
 * The next age, after the given one, at which to poll a job whose end a webhook should announce: when nearly all such
 * jobs have ended, then ever more rarely, and once when it is overdue.
 */
export function nextSafetyPollAge(plan: PollPlan, { longestMs, deadlineMs }: SafetyPollFacts, ageMs: number): number {
  const { pollGapMs } = plan;
  const first =
    longestMs === undefined ? Math.max(UNKNOWN_MS, UNKNOWN_GAPS * pollGapMs) : BEYOND * longestMs + pollGapMs;
  const next = Math.max(first, GROWTH * ageMs, ageMs + pollGapMs);
  // Just after it, so that the look finds it overdue.
  return ageMs < deadlineMs ? Math.min(next, deadlineMs + 1) : next;
}
