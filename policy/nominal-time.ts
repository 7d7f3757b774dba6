import type { CalendarTimes, FieldValues } from './calendar-times.ts';
import type { ScheduleSpec } from './schedule-spec.ts';

const SECOND_MS = 1_000;
const WEEKDAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];

/**
 * The time that a firing was scheduled for, ms since 1970, by the time at which it comes: up to its jitter before that. Without jitter they are the
 * same, to the second. Where a calendar's time does not exist on a day and the schedule fires at another one, that one is returned as it is.
 */
export function nominalTimeOf(firesAt: number, { times, timezone, jitterMs }: ScheduleSpec): number {
  const latest = firesAt - (firesAt % SECOND_MS);
  if (jitterMs === 0) return latest;
  if (times.type === 'every') return firesAt - (firesAt % times.everyMs);
  const matches = matcherOf(times.calendar, timezone);
  for (let at = latest; at > firesAt - jitterMs - SECOND_MS; at -= SECOND_MS) if (matches(at)) return at;
  return latest;
}

/** Whether clocks of a timezone show a time of the calendar. */
function matcherOf(calendar: CalendarTimes, timezone: string): (at: number) => boolean {
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
  return (at) => {
    // Offsets to UTC are whole minutes, and this is asked for each second.
    if (!isAmong((at / SECOND_MS) % 60, calendar.second)) return false;
    const parts = new Map(format.formatToParts(at).map(({ type, value }) => [type, value]));
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
