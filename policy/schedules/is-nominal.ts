import { matcherOf } from './nominal-time.ts';
import type { ScheduleSpec } from './schedule-spec.ts';

const SECOND_MS = 1_000;
/** A calendar's time that a change of the clocks leaves out comes within this time after the change, ms. */
const LONGEST_CHANGE_MS = 3 * 3_600_000;

/**
 * Whether a schedule is due at a time, ms since 1970 and a whole second; jitter does not count. Where clocks go forward, a calendar's time that does
 * not exist on that day is due at the one that clocks show instead: some timezones have it so.
 */
export function isNominal(at: number, { times, timezone }: Pick<ScheduleSpec, 'times' | 'timezone'>): boolean {
  if (at % SECOND_MS !== 0) return false;
  // A multiple between two seconds is known by the one that it is in.
  if (times.type === 'every') return Math.ceil(at / times.everyMs) * times.everyMs < at + SECOND_MS;
  if (matcherOf(times.calendar, timezone)(at)) return true;
  const offset = offsetOf(at - LONGEST_CHANGE_MS, timezone);
  return offset < offsetOf(at, timezone) && matcherOf(times.calendar, 'UTC')(at + offset);
}

/** How far the clocks of a timezone are before UTC, ms; whole minutes. */
function offsetOf(at: number, timezone: string): number {
  const format = new Intl.DateTimeFormat('en', { timeZone: timezone, timeZoneName: 'longOffset' });
  const name = format.formatToParts(at).find(({ type }) => type === 'timeZoneName')?.value ?? '';
  const found = /^GMT(?<sign>[+-])(?<hours>\d\d):(?<minutes>\d\d)/.exec(name)?.groups;
  if (found === undefined) return 0;
  const { sign, hours, minutes } = found;
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000;
}
