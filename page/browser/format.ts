import { OUTCOMES, ROW_STATES, type Outcome } from '../../contract/outcomes.ts';

const plain = new Intl.NumberFormat('en-US', { maximumFractionDigits: 2 });

/** `1,000,000` */
export function number(value: number): string {
  return plain.format(value);
}

/** `2h 05m`, `3m 20s`, `12s` */
export function span(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  const [days, hours, minutes, rest] = [whole / 86_400, (whole / 3_600) % 24, (whole / 60) % 60, whole % 60].map(
    Math.floor,
  );
  const two = (value: number | undefined): string => String(value ?? 0).padStart(2, '0');
  if (days) return `${days}d ${two(hours)}h`;
  if (hours) return `${hours}h ${two(minutes)}m`;
  return minutes ? `${minutes}m ${two(rest)}s` : `${rest ?? 0}s`;
}

/** `4.2 s`; long ones as {@link span}. */
export function seconds(value: number | null): string {
  if (value === null) return '';
  return value < 60 ? `${value.toFixed(1)} s` : span(value);
}

/** A moment in the time of the browser: `28 Nov, 13:05:20`. */
export function moment(iso: string | null): string {
  if (iso === null) return '';
  const options = { day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit', second: '2-digit' } as const;
  return new Date(iso).toLocaleString('en-GB', options);
}

/** The same for a file that is read later and elsewhere: `28 Nov 2026, 13:05:20 CET`. */
export function datedMoment(iso: string): string {
  const options = { day: 'numeric', month: 'short', year: 'numeric', hour: '2-digit', minute: '2-digit' } as const;
  return new Date(iso).toLocaleString('en-GB', { ...options, second: '2-digit', timeZoneName: 'short' });
}

/** `13:05`; the day with it if the whole is longer than one, the seconds if it is short. */
export function clock(at: number, isLong: boolean, isShort = false): string {
  return new Date(at).toLocaleString('en-GB', {
    ...(isLong && ({ day: 'numeric', month: 'short' } as const)),
    ...(isShort && ({ second: '2-digit' } as const)),
    ...{ hour: '2-digit', minute: '2-digit' },
  });
}

export function bytes(value: number): string {
  return value < 1_000
    ? `${value} B`
    : value < 1_000_000
      ? `${number(Math.round(value / 1_000))} KB`
      : `${number(Math.round(value / 10_000) / 100)} MB`;
}

/** All outcomes that occur, with their rows, and the rows that have not ended. */
export function ends(status: {
  readonly rows: number;
  readonly outcomes: Readonly<Record<Outcome, number>>;
}): readonly (readonly [Outcome | 'open', number])[] {
  const ended = OUTCOMES.map((outcome) => [outcome, status.outcomes[outcome]] as const);
  const open = status.rows - ended.reduce((sum, [, rows]) => sum + rows, 0);
  return [...ended, ['open', open] as const].filter(([, rows]) => rows > 0);
}

/** The filter for rows of this standing. */
export function filterOf(standing: string): string {
  return (ROW_STATES as readonly string[]).includes(standing) ? 'open' : standing;
}
