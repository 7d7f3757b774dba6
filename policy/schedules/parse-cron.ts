/** Parses cron expressions into calendar times, in the form that Temporal's schedules take. */

/** Calendar times: all times whose fields match these values. */
export interface CalendarTimes {
  readonly second: FieldValues;
  readonly minute: FieldValues;
  readonly hour: FieldValues;
  /** Day of the month, from 1. */
  readonly day: FieldValues;
  /** From 1. */
  readonly month: FieldValues;
  /** From 0, which is Sunday. */
  readonly weekday: FieldValues;
  readonly year: FieldValues;
}

/** The allowed values of a field, in order; `*` for any. */
export type FieldValues = readonly number[] | '*';

/** Parsed calendar times, or what was expected instead. */
export type ReadCalendar =
  | { readonly type: 'read'; readonly times: CalendarTimes }
  | { readonly type: 'refused'; readonly expected: string; readonly got: string };

type FieldName = Exclude<keyof CalendarTimes, 'second' | 'year'>;

interface Field {
  readonly min: number;
  readonly max: number;
  /** Words for the values from `min` on. */
  readonly words?: readonly string[];
}

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const WEEKDAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];
const SUNDAY = 0;
/** Cron's second number for Sunday, which allows a range to end on Sunday: `5-7`. */
const SUNDAY_AT_THE_END = 7;

const FIELDS: Readonly<Record<FieldName, Field>> = {
  minute: { min: 0, max: 59 },
  hour: { min: 0, max: 23 },
  day: { min: 1, max: 31 },
  month: { min: 1, max: 12, words: MONTHS },
  weekday: { min: 0, max: SUNDAY_AT_THE_END, words: WEEKDAYS },
};

const CRON_FIELDS = ['minute', 'hour', 'day', 'month', 'weekday'] as const;

const CRON_WORDS: Readonly<Record<string, string>> = {
  '@hourly': '0 * * * *',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@weekly': '0 0 * * 0',
  '@monthly': '0 0 1 * *',
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
};

const EACH_MINUTE = { second: [0], minute: '*', hour: '*', day: '*', month: '*', weekday: '*', year: '*' } as const;

/**
 * Parses a five-field cron expression, or a word such as `@daily`. An expression with both days of the month and days
 * of the week is refused: cron fires if either matches, Temporal if both do, and it is unclear which the author meant.
 */
export function parseCron(text: string): ReadCalendar {
  const given = CRON_WORDS[text.trim().toLowerCase()] ?? text.trim();
  const parts = given.split(/\s+/);
  if (given === '' || parts.length !== CRON_FIELDS.length) {
    const got = given === '' ? 'nothing' : `${parts.length} ${parts.length === 1 ? 'field' : 'fields'}`;
    return refused(`five fields (${CRON_FIELDS.join(' ')}), or @daily and its like`, got);
  }
  const times: Record<keyof CalendarTimes, FieldValues> = { ...EACH_MINUTE };
  for (const [at, name] of CRON_FIELDS.entries()) {
    const field = parts[at] ?? '';
    const values = parseField(FIELDS[name], field.toLowerCase());
    if (values === undefined) return refused(`${name}: ${expectedOf(FIELDS[name])}`, field);
    times[name] = name === 'weekday' && values !== '*' ? oneSunday(values) : values;
  }
  const { day, weekday } = times;
  if (day !== '*' && weekday !== '*')
    return refused('days of the month or days of the week, and * for the other', given);
  return { type: 'read', times };
}

/**
 * Parses a field: `*`, `5`, `1-5`, `mon-fri`, any of them with a step (`1-5/2`), and lists of them. Undefined for any
 * other text.
 */
function parseField(field: Field, text: string): FieldValues | undefined {
  if (text === '*' || text === '?') return '*';
  const values = new Set<number>();
  for (const part of text.split(',')) {
    const found = /^(?:(?<all>\*)|(?<from>[a-z]+|\d+)(?:-(?<to>[a-z]+|\d+))?)(?:\/(?<step>\d+))?$/.exec(part);
    if (found?.groups === undefined) return undefined;
    const { all, from, to, step } = found.groups;
    const start = all === undefined ? valueOf(field, from ?? '') : field.min;
    // `5/15` means from 5 to the end, as in cron.
    const isOpen = all !== undefined || (step !== undefined && to === undefined);
    const end = isOpen ? field.max : valueOf(field, to ?? from ?? '', start);
    const by = Number(step ?? 1);
    if (start === undefined || end === undefined || end < start || by < 1) return undefined;
    for (let value = start; value <= end; value += by) values.add(value);
  }
  return [...values].sort((one, other) => one - other);
}

/** Returns the value of a number or word. A Sunday at the end of a range that starts later in the week is 7. */
function valueOf({ min, max, words }: Field, text: string, start?: number): number | undefined {
  const word = words?.indexOf(text) ?? -1;
  const value = word === -1 ? (/^\d+$/.test(text) ? Number(text) : Number.NaN) : word + min;
  if (words === WEEKDAYS && value === SUNDAY && start !== undefined && start > SUNDAY) return SUNDAY_AT_THE_END;
  return value >= min && value <= max ? value : undefined;
}

/** Replaces 7 by 0, the other number for Sunday. */
function oneSunday(values: readonly number[]): readonly number[] {
  const days = new Set(values.map((day) => (day === SUNDAY_AT_THE_END ? SUNDAY : day)));
  return [...days].sort((one, other) => one - other);
}

function expectedOf({ min, max, words }: Field): string {
  const named = words === undefined ? '' : ` or ${words[0] ?? ''} to ${words.at(-1) ?? ''}`;
  return `*, ${min} to ${max}${named}, ranges (1-5), lists (1,3) and steps (*/2)`;
}

function refused(expected: string, got: string): ReadCalendar {
  return { type: 'refused', expected, got };
}
