import { type ScheduleOptions, ScheduleOverlapPolicy } from '@temporalio/client';
import type { OverlapPolicy } from '../../contract/schedule.ts';
import type { ScheduleSpec } from '../../policy/schedules/schedule-spec.ts';

/** Temporal's overlap policies, by our names. */
export const OVERLAPS: Readonly<Record<OverlapPolicy, ScheduleOverlapPolicy>> = {
  skip: ScheduleOverlapPolicy.SKIP,
  'buffer-one': ScheduleOverlapPolicy.BUFFER_ONE,
  'buffer-all': ScheduleOverlapPolicy.BUFFER_ALL,
  cancel: ScheduleOverlapPolicy.CANCEL_OTHER,
  allow: ScheduleOverlapPolicy.ALLOW_ALL,
};

/**
 * Encodes a spec for Temporal. Its cron expressions have seven fields, from second to year, which must all match (even
 * day and weekday, unlike in classic cron). The user's own text is added as a comment. `remainingActions`: undefined
 * for no limit.
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
