/** Formats and parses timestamps, and durations in the form that users write: `90s`, `1h30m`, `1d`, `2w`. */

/** Milliseconds of each unit, the longest first. */
const UNITS = { w: 604_800_000, d: 86_400_000, h: 3_600_000, m: 60_000, s: 1_000 } as const;

/** What {@link parseDuration} accepts, for a message that begins with "expected". */
export const DURATION_FORM = 'a length of time above 0, such as 90s, 15m, 1h30m, 1d or 2w';

/**
 * Parses a duration of whole seconds and returns ms; units go from long to short, each at most once. Undefined for any
 * other text.
 */
export function parseDuration(text: string): number | undefined {
  const found = /^(?:(?<w>\d+)w)?(?:(?<d>\d+)d)?(?:(?<h>\d+)h)?(?:(?<m>\d+)m)?(?:(?<s>\d+)s)?$/.exec(text.trim());
  const parts = Object.entries(found?.groups ?? {}) as [keyof typeof UNITS, string | undefined][];
  const sum = parts.reduce((all, [unit, count]) => all + Number(count ?? 0) * UNITS[unit], 0);
  return sum > 0 && Number.isSafeInteger(sum) ? sum : undefined;
}

/**
 * Formats a duration of whole seconds for {@link parseDuration}. Weeks are written as days: `14d` is easier to compare
 * with `10d`.
 */
export function formatDuration(ms: number): string {
  let rest = ms;
  let text = '';
  for (const unit of ['d', 'h', 'm', 's'] as const) {
    const count = Math.floor(rest / UNITS[unit]);
    rest -= count * UNITS[unit];
    if (count > 0) text += `${count}${unit}`;
  }
  return text === '' ? '0s' : text;
}

/** Formats a time (ms since 1970) in UTC, to the second: `2026-12-01T02:00:00Z`. */
export function utcSecond(at: number): string {
  return `${new Date(at).toISOString().slice(0, 19)}Z`;
}

/** Formats a time (ms since 1970) in UTC, to the millisecond: `2026-10-25T02:30:00.000Z`. */
export function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}
