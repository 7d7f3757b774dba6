import type { PollingSettings } from '../contract/polling-settings.ts';
import { scheduledPolls } from './poll-schedule.ts';

/** This many failed polls in a row end a job, where nobody will fix what makes them fail. */
export const FEW_FAILED_POLLS = 6;

/**
 * How many polls in a row must fail, after a job's deadline, before it is overdue unread: as many as were made in its whole time.
 *
 * A job that can be read is overdue by its age, and one that cannot be read says nothing: after a night asleep every job is
 * past its deadline, the network is not up yet, and the API turns away the burst of polls that follows. Polls are counted
 * rather than time, which passes asleep as well.
 */
export function mostFailedPolls(plan: PollingSettings): number {
  return Math.max(FEW_FAILED_POLLS, scheduledPolls(plan, plan.jobDeadlineMs));
}
