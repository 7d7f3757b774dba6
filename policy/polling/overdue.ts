import type { PollingSettings } from '../../contract/polling-settings.ts';
import { scheduledPolls } from './poll-schedule.ts';

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
