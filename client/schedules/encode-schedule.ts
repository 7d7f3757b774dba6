import type { ScheduleOptionsAction, ScheduleOptions } from '@temporalio/client';
import { WORKFLOW_TASK_TIMEOUT } from '../../contract/messages.ts';
import { type Account, taskQueueOf } from '../../contract/names.ts';
import { type FireScheduleInput, FIRE_SCHEDULE, scheduleIdOf } from '../../contract/schedule.ts';
import { firingLabels } from '../../contract/workflow-labels.ts';
import type { ScheduleSpec } from '../../policy/schedules/schedule-spec.ts';
import { OVERLAPS } from './steer-schedule.ts';

/** What Temporal starts each time a schedule fires. */
export function firingOf(ledgerId: string, schedule: string, realm: Account): ScheduleOptionsAction {
  const input: FireScheduleInput = { schedule };
  return {
    type: 'startWorkflow',
    workflowType: FIRE_SCHEDULE,
    workflowId: scheduleIdOf(ledgerId, schedule),
    taskQueue: taskQueueOf({ apiUrl: realm.apiUrl, account: realm.account, ledgerId }),
    args: [input],
    workflowTaskTimeout: WORKFLOW_TASK_TIMEOUT,
    ...firingLabels(schedule),
  };
}

/**
 * A spec in Temporal's words. Its form of cron has seven fields, of which all must match; what was written follows as a
 * comment.
 */
export function encodeSpec(
  spec: ScheduleSpec,
): Required<Pick<ScheduleOptions, 'spec' | 'policies'>> & { readonly remainingActions: number | undefined } {
  const { times, timezone, jitterMs, overlap, catchUpMs, pauseOnFailure, until, runs } = spec;
  const cronOf = ({ calendar, text }: Extract<typeof times, { readonly type: 'calendar' }>): string => {
    const { second, minute, hour, day, month, weekday, year } = calendar;
    return `${[second, minute, hour, day, month, weekday, year].map(String).join(' ')} # ${text}`;
  };
  return {
    spec: {
      ...(times.type === 'every' ? { intervals: [{ every: times.everyMs }] } : { cronExpressions: [cronOf(times)] }),
      timezone,
      ...(jitterMs === 0 ? {} : { jitter: jitterMs }),
      ...(until === null ? {} : { endAt: new Date(until) }),
    },
    policies: { overlap: OVERLAPS[overlap], catchupWindow: catchUpMs, pauseOnFailure },
    remainingActions: runs ?? undefined,
  };
}
