import type { PollingSettings } from '../../contract/polling-settings.ts';
import type { Instant } from '../pacing/send-deadline.ts';

/**
 * When to poll a job again. The first poll comes after the provider's advised wait, or once such jobs begin to end
 * (`job-times.ts`); the others at a fixed gap, which is the best plan for unknown durations (exponential gaps poll most
 * where jobs never end and least where they do). Jitter keeps jobs that were created together from being read together.
 */
export type PollPlan = Pick<PollingSettings, 'firstLookMs' | 'pollGapMs'>;

/**
 * Returns when to poll a job for the first time, in monotonic ms. `acceptedAt` is of the wall clock, which may have
 * been set back since; so the wait is capped. `earlyMs`: the age before which hardly any such job has ended.
 */
export function firstPoll({ firstLookMs }: PollPlan, earlyMs: number, acceptedAt: number, now: Instant): number {
  // A job that is already older than that is polled at once.
  const first = Math.max(firstLookMs, earlyMs);
  return now.monotonic + Math.min(first, Math.max(0, acceptedAt + first - now.wall));
}

/** Returns the time of the next poll after one at `now`; `random` in [0, 1) varies the gap by up to a tenth. */
export function nextPoll({ pollGapMs }: PollPlan, now: number, random: number): number {
  return now + pollGapMs * (0.9 + 0.2 * random);
}

/** Polls are rounded to ticks of this length, ms, so that those due at about the same time share wake-ups. */
const TICK_MS = 50;
/** Max length of a tick, as a share of the poll gap. */
const MAX_TICK_SHARE = 0.1;

/** Rounds the planned time of a poll to a tick. */
export function roundToTick({ pollGapMs }: PollPlan, plannedAt: number): number {
  const tick = Math.min(TICK_MS, MAX_TICK_SHARE * pollGapMs);
  return tick <= 0 ? plannedAt : Math.round(plannedAt / tick) * tick;
}

/** Number of consecutive failed polls that end a job if the cause is permanent. */
export const FEW_FAILED_POLLS = 6;

/**
 * Returns how many consecutive polls must fail before a job past its deadline counts as overdue: as many as fit into
 * its whole time.
 *
 * A job that can be read is overdue by its age. For one that cannot be read, its age proves nothing: after a laptop
 * wakes up, every job is past its deadline, the network is not up yet, and the API rejects the burst of polls. So this
 * counts polls instead of time, which also passes during sleep.
 */
export function maxFailedPolls({ pollGapMs, jobDeadlineMs }: PollingSettings): number {
  return Math.max(FEW_FAILED_POLLS, Math.ceil(jobDeadlineMs / Math.max(1, pollGapMs)));
}

/**
 * Age at which a job of unknown duration is first polled, in ms and in poll gaps, whichever is more. The duration is
 * known once one job of the operation has ended; until then, probes show whether webhooks arrive.
 */
const UNKNOWN_MS = 600_000;
const UNKNOWN_GAPS = 10;
/** A job may last up to this many times as long as the longest known ones. */
const BEYOND = 1.2;
/** Each further safety poll comes at this multiple of the age. */
const GROWTH = 1.5;

/** Facts about a job that {@link nextSafetyPollAge} needs. */
export interface SafetyPollFacts {
  /** Longest known duration of such jobs, ms; undefined if unknown. */
  readonly longestMs: number | undefined;
  /** The age at which the job is overdue, ms. */
  readonly deadlineMs: number;
}

/**
 * Returns the next age, after `ageMs`, at which to poll a job whose end a webhook should announce, in case the webhook
 * is lost: first when nearly all such jobs have ended, then ever more rarely, and once when it is overdue.
 */
export function nextSafetyPollAge(plan: PollPlan, { longestMs, deadlineMs }: SafetyPollFacts, ageMs: number): number {
  const { pollGapMs } = plan;
  const first =
    longestMs === undefined ? Math.max(UNKNOWN_MS, UNKNOWN_GAPS * pollGapMs) : BEYOND * longestMs + pollGapMs;
  const next = Math.max(first, GROWTH * ageMs, ageMs + pollGapMs);
  // Just after the deadline, so that the poll finds the job overdue.
  return ageMs < deadlineMs ? Math.min(next, deadlineMs + 1) : next;
}
