import type { PollPlan } from './poll-schedule.ts';

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
