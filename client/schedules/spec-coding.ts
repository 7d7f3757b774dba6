import {
  ScheduleOverlapPolicy,
  type CalendarSpec as TemporalCalendar,
  type CalendarSpecDescription,
  type ScheduleDescription,
  type ScheduleOptions,
} from '@temporalio/client';
import type { CalendarTimes, FieldValues } from '../../policy/schedules/calendar-times.ts';
import {
  OVERLAP_POLICIES,
  type OverlapPolicy,
  type ScheduleSpec,
  type Times,
} from '../../policy/schedules/schedule-spec.ts';
import { formatDuration } from '../../policy/duration.ts';

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

const MONTHS = [
  'JANUARY',
  'FEBRUARY',
  'MARCH',
  'APRIL',
  'MAY',
  'JUNE',
  'JULY',
  'AUGUST',
  'SEPTEMBER',
  'OCTOBER',
  'NOVEMBER',
  'DECEMBER',
] as const;
const DAYS = ['SUNDAY', 'MONDAY', 'TUESDAY', 'WEDNESDAY', 'THURSDAY', 'FRIDAY', 'SATURDAY'] as const;

/** An overlap policy in Temporal's words. */
export function encodeOverlap(policy: OverlapPolicy): ScheduleOverlapPolicy {
  return OVERLAPS[policy];
}

/** A spec in Temporal's words. The text of a calendar goes with it as its comment. */
export function encodeSpec(spec: ScheduleSpec): EncodedSpec {
  const { times, timezone, jitterMs, overlap, catchUpMs, pauseOnFailure, until, runs } = spec;
  return {
    spec: {
      ...(times.type === 'every'
        ? { intervals: [{ every: times.everyMs }] }
        : { calendars: [{ ...encodeCalendar(times.calendar), comment: times.text }] }),
      timezone,
      ...(jitterMs === 0 ? {} : { jitter: jitterMs }),
      ...(until === null ? {} : { endAt: new Date(until) }),
    },
    policies: { overlap: OVERLAPS[overlap], catchupWindow: catchUpMs, pauseOnFailure },
    remainingActions: runs ?? undefined,
  };
}

function encodeCalendar(times: CalendarTimes): TemporalCalendar {
  const { second, minute, hour, day, month, weekday, year } = times;
  const values = (field: FieldValues): number[] | '*' => (field === '*' ? '*' : [...field]);
  return {
    second: values(second),
    minute: values(minute),
    hour: values(hour),
    dayOfMonth: values(day),
    year: values(year),
    month: month === '*' ? '*' : month.flatMap((value) => MONTHS[value - 1] ?? []),
    dayOfWeek: weekday === '*' ? '*' : weekday.flatMap((value) => DAYS[value] ?? []),
  };
}

/** The times of a schedule, as Temporal holds them now. */
export type TimesInTemporal = Omit<ScheduleSpec, 'budgetMonth'>;

/** Reads the times of a schedule in Temporal, for one whose settings are not in the ledger. */
export function decodeSpec(found: Pick<ScheduleDescription, 'spec' | 'policies' | 'state'>): TimesInTemporal {
  const { spec, policies, state } = found;
  return {
    times: decodeTimes(spec),
    timezone: decodeTimezone(spec),
    jitterMs: spec.jitter ?? 0,
    overlap: OVERLAP_POLICIES.find((policy) => OVERLAPS[policy] === policies.overlap) ?? 'skip',
    catchUpMs: policies.catchupWindow,
    pauseOnFailure: policies.pauseOnFailure,
    until: spec.endAt?.getTime() ?? null,
    runs: state.remainingActions ?? null,
  };
}

/** The timezone of a schedule: Temporal omits UTC. */
function decodeTimezone({ timezone }: { readonly timezone?: string | undefined }): string {
  return timezone === undefined || timezone === '' ? 'UTC' : timezone;
}

/** When a schedule fires. If somebody changed it with Temporal's own tools: its first calendar or interval. */
function decodeTimes({
  calendars = [],
  intervals = [],
}: Pick<ScheduleDescription['spec'], 'calendars' | 'intervals'>): Times {
  const [calendar] = calendars;
  if (calendar === undefined) return { type: 'every', everyMs: intervals[0]?.every ?? 0 };
  return { type: 'calendar', calendar: decodeCalendar(calendar), text: calendar.comment ?? 'calendar' };
}

function decodeCalendar(calendar: CalendarSpecDescription): CalendarTimes {
  const numbers = (ranges: readonly Range<number>[], all: number): FieldValues => expand(ranges, all, (value) => value);
  return {
    second: numbers(calendar.second, 60),
    minute: numbers(calendar.minute, 60),
    hour: numbers(calendar.hour, 24),
    day: numbers(calendar.dayOfMonth, 31),
    month: expand(calendar.month, 12, (name) => MONTHS.indexOf(name) + 1),
    weekday: expand(calendar.dayOfWeek, 7, (name) => DAYS.indexOf(name)),
    year: calendar.year.length === 0 ? '*' : numbers(calendar.year, Infinity),
  };
}

interface Range<Unit> {
  readonly start: Unit;
  readonly end: Unit;
  readonly step: number;
}

/** `all`: how many values there are. */
function expand<Unit>(ranges: readonly Range<Unit>[], all: number, valueOf: (unit: Unit) => number): FieldValues {
  const values = new Set<number>();
  for (const { start, end, step } of ranges) {
    for (let value = valueOf(start); value <= valueOf(end); value += step) values.add(value);
  }
  return values.size === all ? '*' : [...values].sort((one, other) => one - other);
}

/** When a schedule fires, as written on a command line: `every 1d`, `cron 0 2 * * *`. */
export function timesInWords(times: Times): string {
  return times.type === 'every' ? `every ${formatDuration(times.everyMs)}` : times.text;
}
