import { ScheduleOverlapPolicy, type ScheduleDescription, type ScheduleOptions } from '@temporalio/client';
import { formatDuration } from '../../contract/duration.ts';
import { OVERLAP_POLICIES, type OverlapPolicy } from '../../contract/schedule.ts';
import { readScheduleSpec, type ScheduleSpec, type Times } from '../../policy/schedules/schedule-spec.ts';

/** The parts of a schedule in Temporal that its {@link ScheduleSpec} decides. */
export type EncodedSpec = Required<Pick<ScheduleOptions, 'spec' | 'policies'>> & {
  readonly remainingActions: number | undefined;
};

const OVERLAPS: Readonly<Record<OverlapPolicy, ScheduleOverlapPolicy>> = {
  skip: ScheduleOverlapPolicy.SKIP,
  'buffer-one': ScheduleOverlapPolicy.BUFFER_ONE,
  'buffer-all': ScheduleOverlapPolicy.BUFFER_ALL,
  cancel: ScheduleOverlapPolicy.CANCEL_OTHER,
  allow: ScheduleOverlapPolicy.ALLOW_ALL,
};

/** An overlap policy in Temporal's words. */
export function encodeOverlap(policy: OverlapPolicy): ScheduleOverlapPolicy {
  return OVERLAPS[policy];
}

/** A spec in Temporal's words. */
export function encodeSpec(spec: ScheduleSpec): EncodedSpec {
  const { times, timezone, jitterMs, overlap, catchUpMs, pauseOnFailure, until, runs } = spec;
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

/** Temporal's form of cron: seven fields, of which all must match. What was written follows as a comment. */
function cronOf({ calendar, text }: Extract<Times, { readonly type: 'calendar' }>): string {
  const { second, minute, hour, day, month, weekday, year } = calendar;
  return `${[second, minute, hour, day, month, weekday, year].map(String).join(' ')} # ${text}`;
}

/** The times of a schedule in Temporal, for one whose settings are not in the ledger. `times`: undefined if it was not written by this program. */
export function decodeSpec({ spec, policies, state }: Pick<ScheduleDescription, 'spec' | 'policies' | 'state'>): Omit<
  ScheduleSpec,
  'times' | 'budgetMonth'
> & {
  readonly times: Times | undefined;
} {
  return {
    times: decodeTimes(spec),
    // Temporal omits UTC.
    timezone: (spec.timezone ?? '') === '' ? 'UTC' : String(spec.timezone),
    jitterMs: spec.jitter ?? 0,
    overlap: OVERLAP_POLICIES.find((policy) => OVERLAPS[policy] === policies.overlap) ?? 'skip',
    catchUpMs: policies.catchupWindow,
    pauseOnFailure: policies.pauseOnFailure,
    until: spec.endAt?.getTime() ?? null,
    runs: state.remainingActions ?? null,
  };
}

/** By the comment of its calendar, which is what was written: `cron 0 2 * * *`. */
function decodeTimes({ calendars = [], intervals = [] }: ScheduleDescription['spec']): Times | undefined {
  const [everyMs] = intervals.map(({ every }) => every);
  if (everyMs !== undefined) return { type: 'every', everyMs };
  const { option, text } = /^(?<option>cron|calendar) (?<text>.*)$/s.exec(calendars[0]?.comment ?? '')?.groups ?? {};
  const read = option === undefined ? undefined : readScheduleSpec({ [option]: text });
  return read?.type === 'read' ? read.spec.times : undefined;
}

/** When a schedule fires, as written on a command line: `every 1d`, `cron 0 2 * * *`. */
export function timesInWords(times: Times): string {
  return times.type === 'every' ? `every ${formatDuration(times.everyMs)}` : times.text;
}
