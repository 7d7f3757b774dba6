import { formatDuration } from '../duration.ts';

/** A worker that comes within this time takes any firing, ms: starting one takes its time, and so does a rollout. */
export const ALWAYS_IN_TIME_MS = 600_000;

/**
 * Why a firing comes too late: no worker took it within the schedule's catch-up time after the server had fired it. Undefined: it is in time.
 *
 * An embedded server fires whenever it runs, also for the moment of a command that looks at schedules. Its batch would be made, and paid for, when
 * somebody works here again, be that weeks later.
 */
export function whyTooLate(waitedMs: number, catchUpMs: number | null): string | undefined {
  if (catchUpMs === null || waitedMs <= Math.max(catchUpMs, ALWAYS_IN_TIME_MS)) return undefined;
  return `It fired, and no worker took it within its catch-up time of ${formatDuration(catchUpMs)}.`;
}
