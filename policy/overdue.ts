import type { LookPlan } from './looks.ts';

/** Failed looks in a row that end a job where nobody will mend what makes them fail. */
export const FEW_FAILED_LOOKS = 6;

/**
 * How many looks in a row must fail, after a job's deadline, before it is overdue unread: as many as were made in its whole time.
 *
 * A job that can be read is overdue by its age, and one that cannot be read says nothing: after a night asleep every job is
 * past its deadline, the network is not up yet, and the API turns away the burst of looks that follows. Looks are counted
 * rather than time, which passes asleep as well.
 */
export function mostFailedLooks(plan: Pick<LookPlan, 'pollGapMs'> & { readonly jobDeadlineMs: number }): number {
  return Math.max(FEW_FAILED_LOOKS, Math.ceil(plan.jobDeadlineMs / plan.pollGapMs));
}
