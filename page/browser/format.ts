import { OUTCOMES, ROW_STATES, type Outcome } from '../../contract/outcomes.ts';

const NUMBER = new Intl.NumberFormat('en-US', { maximumFractionDigits: 2 });

/** Formats a number: `1,000,000`, at most two decimals. */
export function number(value: number): string {
  return NUMBER.format(value);
}

/** Formats a duration: `2h 05m`, `3m 20s`, `12s`. */
export function duration(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  const days = Math.floor(whole / 86_400);
  const hours = Math.floor(whole / 3_600) % 24;
  const minutes = Math.floor(whole / 60) % 60;
  const twoDigits = (value: number): string => String(value).padStart(2, '0');
  if (days > 0) return `${days}d ${twoDigits(hours)}h`;
  if (hours > 0) return `${hours}h ${twoDigits(minutes)}m`;
  return minutes > 0 ? `${minutes}m ${twoDigits(whole % 60)}s` : `${whole}s`;
}

/** Formats the length of audio or of a job: `4.2 s`, from a minute on as {@link duration}; empty for null. */
export function seconds(value: number | null): string {
  if (value === null) return '';
  return value < 60 ? `${value.toFixed(1)} s` : duration(value);
}

/** Formats a time in the browser's time zone: `28 Nov, 13:05:20`; empty for null. */
export function moment(iso: string | null): string {
  if (iso === null) return '';
  const options = { day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit', second: '2-digit' } as const;
  return new Date(iso).toLocaleString('en-GB', options);
}

/** Formats a time for a report, which may be read later and elsewhere: `28 Nov 2026, 13:05:20 CET`. */
export function datedMoment(iso: string): string {
  const options = { day: 'numeric', month: 'short', year: 'numeric', hour: '2-digit', minute: '2-digit' } as const;
  return new Date(iso).toLocaleString('en-GB', { ...options, second: '2-digit', timeZoneName: 'short' });
}

/** Formats a time (ms since 1970) on an axis: `13:05`, with the date or the seconds if wanted. */
export function clock(at: number, { withDate = false, withSeconds = false } = {}): string {
  return new Date(at).toLocaleString('en-GB', {
    ...(withDate && ({ day: 'numeric', month: 'short' } as const)),
    ...(withSeconds && ({ second: '2-digit' } as const)),
    hour: '2-digit',
    minute: '2-digit',
  });
}

/** Formats a size: `900 B`, `12 KB`, `1.25 MB`. */
export function bytes(value: number): string {
  if (value < 1_000) return `${value} B`;
  if (value < 1_000_000) return `${number(Math.round(value / 1_000))} KB`;
  return `${number(Math.round(value / 10_000) / 100)} MB`;
}

/** Returns how many rows have each outcome, and how many are still open; zeros are left out. */
export function rowCounts(status: {
  readonly rows: number;
  readonly outcomes: Readonly<Record<Outcome, number>>;
}): readonly (readonly [Outcome | 'open', number])[] {
  const ended = OUTCOMES.map((outcome) => [outcome, status.outcomes[outcome]] as const);
  const open = status.rows - ended.reduce((sum, [, rows]) => sum + rows, 0);
  return [...ended, ['open', open] as const].filter(([, rows]) => rows > 0);
}

/** Returns the value of the filter `outcome` that finds rows with this outcome or state. */
export function filterOf(standing: string): string {
  return (ROW_STATES as readonly string[]).includes(standing) ? 'open' : standing;
}
