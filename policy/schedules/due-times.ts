import type { CalendarTimes, FieldValues } from './calendar-times.ts';
import { MOST_JITTER_MS, type ScheduleSpec } from './schedule-spec.ts';
import { offsetOf } from './zone-offset.ts';

const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;
/** A calendar's time that a change of the clocks leaves out comes within this time after the change, ms. */
const LONGEST_CHANGE_MS = 3 * 3_600_000;
/** A server takes a trigger within this time, ms. Less than a second, or a schedule that is due every two seconds would leave no room. */
const TAKEN_WITHIN_MS = 900;
/** A schedule that is due each second leaves no second for a trigger; then it waits for none. */
const LONGEST_WAIT_MS = 4_000;

/**
 * Whether a schedule is due at a time, ms since 1970 and a whole second; jitter does not count. Where clocks go forward, a calendar's time that does
 * not exist on that day is due at the one that clocks show instead: some timezones have it so.
 */
export function isNominal(at: number, { times, timezone }: Pick<ScheduleSpec, 'times' | 'timezone'>): boolean {
  if (at % SECOND_MS !== 0) return false;
  // A multiple between two seconds is known by the one that it is in.
  if (times.type === 'every') return Math.ceil(at / times.everyMs) * times.everyMs < at + SECOND_MS;
  const offset = offsetOf(at, timezone);
  if (isShown(at + offset, times.calendar)) return true;
  const before = offsetOf(at - LONGEST_CHANGE_MS, timezone);
  return before < offset && isShown(at + before, times.calendar);
}

/**
 * The time that a firing was scheduled for, ms since 1970, by the time at which it comes: up to its jitter before that. Without jitter they are the
 * same, to the second. Where a calendar's time does not exist on a day and the schedule fires at another one, that one is returned as it is.
 */
export function nominalTimeOf(firesAt: number, { times, timezone, jitterMs }: ScheduleSpec): number {
  const latest = firesAt - (firesAt % SECOND_MS);
  if (jitterMs === 0) return latest;
  if (times.type === 'every') return firesAt - (firesAt % times.everyMs);
  const minutes: CalendarTimes = { ...times.calendar, second: '*' };
  const longest = Math.min(jitterMs, MOST_JITTER_MS);
  for (let minute = latest - (latest % MINUTE_MS); minute > firesAt - longest - MINUTE_MS; minute -= MINUTE_MS) {
    const second = lastSecond(times.calendar.second, minute, firesAt - longest - SECOND_MS, latest);
    if (second !== undefined && isShown(minute + offsetOf(minute, timezone), minutes)) return second;
  }
  return latest;
}

/**
 * How long a trigger has to wait for a second in which the schedule is not due, ms. Temporal tells firings apart by their second: of a trigger and a due
 * time in one, it drops one, without a word.
 */
export function waitForOwnSecond(now: number, spec: Pick<ScheduleSpec, 'times' | 'timezone'>): number {
  const isDue = (time: number): boolean => isNominal(time - (time % SECOND_MS), spec);
  for (let time = now; time <= now + LONGEST_WAIT_MS; time += SECOND_MS - (time % SECOND_MS)) {
    if (!isDue(time) && !isDue(time + TAKEN_WITHIN_MS)) return time - now;
  }
  return 0;
}

/** Whether clocks that show this time, written as if it were of UTC, show one of the calendar. */
function isShown(local: number, calendar: CalendarTimes): boolean {
  const date = new Date(local);
  return (
    isAmong(date.getUTCSeconds(), calendar.second) &&
    isAmong(date.getUTCMinutes(), calendar.minute) &&
    isAmong(date.getUTCHours(), calendar.hour) &&
    isAmong(date.getUTCDate(), calendar.day) &&
    isAmong(date.getUTCMonth() + 1, calendar.month) &&
    isAmong(date.getUTCDay(), calendar.weekday) &&
    isAmong(date.getUTCFullYear(), calendar.year)
  );
}

/** The last second of a minute that a calendar names, after a time and not after another one, ms since 1970. */
function lastSecond(seconds: FieldValues, minute: number, after: number, until: number): number | undefined {
  for (let at = Math.min(until, minute + MINUTE_MS - SECOND_MS); at >= minute && at > after; at -= SECOND_MS) {
    if (isAmong((at - minute) / SECOND_MS, seconds)) return at;
  }
  return undefined;
}

function isAmong(value: number, values: FieldValues): boolean {
  return values === '*' || values.includes(value);
}
