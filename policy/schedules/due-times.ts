import type { CalendarTimes, FieldValues } from './parse-cron.ts';
import { MAX_JITTER_MS, type ScheduleSpec } from './schedule-spec.ts';

/** When a schedule is due, computed as Temporal computes it: used to check firings and to find missing ones. */

const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
/** A calendar time skipped by a clock change (daylight saving) comes within this time after the change, ms. */
const MAX_CHANGE_MS = 3 * HOUR_MS;
/**
 * A server accepts a trigger within this time, ms. Less than a second, or a schedule due every two seconds would leave
 * no room.
 */
const TAKEN_WITHIN_MS = 900;
/** Max wait for a free second, ms. A schedule due every second leaves none; then the trigger does not wait. */
const MAX_WAIT_MS = 4_000;

/**
 * Whether a schedule is due at a time (ms since 1970; a whole second), ignoring jitter. When clocks go forward, a
 * calendar time that does not exist on that day is due at the time that clocks show instead.
 */
export function isScheduledAt(at: number, { times, timezone }: Pick<ScheduleSpec, 'times' | 'timezone'>): boolean {
  if (at % SECOND_MS !== 0) return false;
  // A multiple between two seconds belongs to the second it falls in.
  if (times.type === 'every') return Math.ceil(at / times.everyMs) * times.everyMs < at + SECOND_MS;
  const offset = offsetOf(at, timezone);
  if (isShown(at + offset, times.calendar)) return true;
  const before = offsetOf(at - MAX_CHANGE_MS, timezone);
  return before < offset && isShown(at + before, times.calendar);
}

/**
 * Yields the times at which a schedule is due after `from` and until `until` (ms since 1970), in order, ignoring
 * jitter. Temporal lists them faster, and knows which it leaves out where clocks change, but only of a schedule that it
 * still has.
 */
export function* dueTimesBetween(
  from: number,
  until: number,
  { times, timezone }: Pick<ScheduleSpec, 'times' | 'timezone'>,
): Generator<number> {
  if (times.type === 'every') {
    for (let at = nextMultiple(from, times.everyMs); at <= until; at += times.everyMs) {
      if (isScheduledAt(at, { times, timezone })) yield at;
    }
    return;
  }
  const { calendar } = times;
  const stepMs = stepOf(calendar.second);
  const isDueAt = hourByHour(calendar, timezone);
  for (let at = nextMultiple(from, stepMs); at <= until; at += stepMs) {
    if (isDueAt(at)) yield at;
  }
}

/**
 * Returns {@link isScheduledAt} for whole seconds that are asked for in order. Looks up the timezone's offset once an
 * hour: a lookup takes longer than all else, and no zone changes its clocks and changes them back within four hours.
 */
function hourByHour(calendar: CalendarTimes, timezone: string): (at: number) => boolean {
  const offsets = new Map<number, number>();
  const offsetAt = (hour: number): number => {
    const found = offsets.get(hour) ?? offsetOf(hour, timezone);
    offsets.set(hour, found);
    return found;
  };
  let hour = NaN;
  /** The offset of all times of the hour; undefined shortly after a change. */
  let offset: number | undefined;
  return (at) => {
    if (!(at >= hour && at < hour + HOUR_MS)) {
      hour = Math.floor(at / HOUR_MS) * HOUR_MS;
      const last = offsetAt(hour + HOUR_MS);
      offset = offsetAt(hour - MAX_CHANGE_MS) === last ? last : undefined;
    }
    if (offset !== undefined) return isShown(at + offset, calendar);
    return isScheduledAt(at, { times: { type: 'calendar', calendar, text: '' }, timezone });
  };
}

/** Returns the first multiple of a step after a time, both in ms. */
function nextMultiple(after: number, stepMs: number): number {
  return (Math.floor(after / stepMs) + 1) * stepMs;
}

function stepOf(seconds: FieldValues): number {
  return seconds !== '*' && seconds.every((second) => second === 0) ? MINUTE_MS : SECOND_MS;
}

/**
 * Returns the scheduled time of a firing, ms since 1970. `firesAt`: its actual time, which is later by up to the
 * jitter. If a calendar time does not exist on a day (see {@link isScheduledAt}), the actual time is returned, to the
 * second.
 */
export function nominalTimeOf(firesAt: number, { times, timezone, jitterMs }: ScheduleSpec): number {
  const latest = firesAt - (firesAt % SECOND_MS);
  if (jitterMs === 0) return latest;
  if (times.type === 'every') return firesAt - (firesAt % times.everyMs);
  const minutes: CalendarTimes = { ...times.calendar, second: '*' };
  const longest = Math.min(jitterMs, MAX_JITTER_MS);
  for (let minute = latest - (latest % MINUTE_MS); minute > firesAt - longest - MINUTE_MS; minute -= MINUTE_MS) {
    const second = lastSecond(times.calendar.second, minute, firesAt - longest - SECOND_MS, latest);
    if (second !== undefined && isShown(minute + offsetOf(minute, timezone), minutes)) return second;
  }
  return latest;
}

/**
 * Returns how long a manual trigger must wait, ms, so that it does not share its second with a due time. Temporal
 * identifies firings by their second, and silently drops one of two in the same second.
 */
export function waitForOwnSecond(now: number, spec: Pick<ScheduleSpec, 'times' | 'timezone'>): number {
  const isDue = (time: number): boolean => isScheduledAt(time - (time % SECOND_MS), spec);
  for (let time = now; time <= now + MAX_WAIT_MS; time += SECOND_MS - (time % SECOND_MS)) {
    if (!isDue(time) && !isDue(time + TAKEN_WITHIN_MS)) return time - now;
  }
  return 0;
}

/** Whether a local time matches the calendar. `local`: the local time as if it were UTC, ms since 1970. */
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

/**
 * Returns the last second in a minute that matches, in the range from `after` (exclusive) to `until`; ms since 1970.
 */
function lastSecond(seconds: FieldValues, minute: number, after: number, until: number): number | undefined {
  for (let at = Math.min(until, minute + MINUTE_MS - SECOND_MS); at >= minute && at > after; at -= SECOND_MS) {
    if (isAmong((at - minute) / SECOND_MS, seconds)) return at;
  }
  return undefined;
}

function isAmong(value: number, values: FieldValues): boolean {
  return values === '*' || values.includes(value);
}

/** Formats by timezone. Creating one takes longer than using it. */
const FORMATS = new Map<string, Intl.DateTimeFormat>();

/** Returns the offset of a timezone from UTC at a time (ms since 1970), in ms. `timezone`: IANA name. */
export function offsetOf(at: number, timezone: string): number {
  const name = formatIn(timezone)
    .formatToParts(at)
    .find(({ type }) => type === 'timeZoneName')?.value;
  const found = /^GMT(?<sign>[+-])(?<hours>\d\d):(?<minutes>\d\d)/.exec(name ?? '')?.groups;
  if (found === undefined) return 0;
  const { sign, hours, minutes } = found;
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000;
}

function formatIn(timeZone: string): Intl.DateTimeFormat {
  const known = FORMATS.get(timeZone);
  if (known !== undefined) return known;
  const format = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' });
  FORMATS.set(timeZone, format);
  return format;
}
