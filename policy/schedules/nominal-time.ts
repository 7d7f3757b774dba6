import type { CalendarTimes, FieldValues } from './calendar-times.ts';
import { MOST_JITTER_MS, type ScheduleSpec } from './schedule-spec.ts';

const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;
const WEEKDAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];

/**
 * The time that a firing was scheduled for, ms since 1970, by the time at which it comes: up to its jitter before that. Without jitter they are the
 * same, to the second. Where a calendar's time does not exist on a day and the schedule fires at another one, that one is returned as it is.
 */
export function nominalTimeOf(firesAt: number, { times, timezone, jitterMs }: ScheduleSpec): number {
  const latest = firesAt - (firesAt % SECOND_MS);
  if (jitterMs === 0) return latest;
  if (times.type === 'every') return firesAt - (firesAt % times.everyMs);
  const { calendar } = times;
  const matches = minuteMatcherOf(calendar, timezone);
  const longest = Math.min(jitterMs, MOST_JITTER_MS);
  for (let minute = latest - (latest % MINUTE_MS); minute > firesAt - longest - MINUTE_MS; minute -= MINUTE_MS) {
    const second = lastSecond(calendar.second, minute, firesAt - longest - SECOND_MS, latest);
    if (second !== undefined && matches(minute)) return second;
  }
  return latest;
}

/** Whether clocks of a timezone show a time of the calendar. */
export function matcherOf(calendar: CalendarTimes, timezone: string): (at: number) => boolean {
  const matches = minuteMatcherOf(calendar, timezone);
  return (at) => isAmong((at % MINUTE_MS) / SECOND_MS, calendar.second) && matches(at);
}

/** The last second of a minute that a calendar names, after a time and not after another one, ms since 1970. */
function lastSecond(seconds: FieldValues, minute: number, after: number, until: number): number | undefined {
  for (let at = Math.min(until, minute + MINUTE_MS - SECOND_MS); at >= minute && at > after; at -= SECOND_MS) {
    if (isAmong((at - minute) / SECOND_MS, seconds)) return at;
  }
  return undefined;
}

/** Whether clocks of a timezone show a time of the calendar at a minute. Offsets to UTC are whole minutes. */
function minuteMatcherOf(calendar: CalendarTimes, timezone: string): (minute: number) => boolean {
  const format = new Intl.DateTimeFormat('en-GB', {
    timeZone: timezone,
    hourCycle: 'h23',
    weekday: 'short',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
  });
  return (minute) => {
    const parts = new Map(format.formatToParts(minute).map(({ type, value }) => [type, value]));
    const numberOf = (type: Intl.DateTimeFormatPartTypes): number => Number(parts.get(type));
    return (
      isAmong(numberOf('minute'), calendar.minute) &&
      isAmong(numberOf('hour'), calendar.hour) &&
      isAmong(numberOf('day'), calendar.day) &&
      isAmong(numberOf('month'), calendar.month) &&
      isAmong(numberOf('year'), calendar.year) &&
      isAmong(WEEKDAYS.indexOf(parts.get('weekday') ?? ''), calendar.weekday)
    );
  };
}

function isAmong(value: number, values: FieldValues): boolean {
  return values === '*' || values.includes(value);
}
