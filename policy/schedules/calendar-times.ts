/** Times of a calendar: all those whose fields are among these. */
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

/** The values that a field may have, in order; `*`: any. */
export type FieldValues = readonly number[] | '*';

/** Calendar times that were read, or what was expected instead. */
export type ReadCalendar =
  | { readonly type: 'read'; readonly times: CalendarTimes }
  | { readonly type: 'refused'; readonly expected: string; readonly came: string };

type FieldName = keyof CalendarTimes;

interface Field {
  readonly least: number;
  readonly most: number;
  /** Words for the values from `least` on. */
  readonly words?: readonly string[];
}

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const WEEKDAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];
const SUNDAY = 0;
/** The other number of Sunday. As the end of a range it comes after Saturday. */
const SUNDAY_AT_THE_END = 7;

const FIELDS: Readonly<Record<FieldName, Field>> = {
  second: { least: 0, most: 59 },
  minute: { least: 0, most: 59 },
  hour: { least: 0, most: 23 },
  day: { least: 1, most: 31 },
  month: { least: 1, most: 12, words: MONTHS },
  weekday: { least: 0, most: SUNDAY_AT_THE_END, words: WEEKDAYS },
  // As far as Temporal's calendars go.
  year: { least: 2000, most: 2100 },
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

/** Times where nothing is said: midnight of every day. */
const MIDNIGHT: CalendarTimes = {
  second: [0],
  minute: [0],
  hour: [0],
  day: '*',
  month: '*',
  weekday: '*',
  year: '*',
};

/**
 * Reads a cron expression of five fields, or a word such as `@daily`. An expression that names both days of the month and days of the week is
 * refused: cron fires where either matches, Temporal where both do, and whoever wrote it means one of them.
 */
export function parseCron(text: string): ReadCalendar {
  const given = CRON_WORDS[text.trim().toLowerCase()] ?? text.trim();
  const parts = given.split(/\s+/);
  if (given === '' || parts.length !== CRON_FIELDS.length) {
    const came = given === '' ? 'nothing' : `${parts.length} ${parts.length === 1 ? 'field' : 'fields'}`;
    return refused(
      `five fields (${CRON_FIELDS.join(' ')}), or @daily and its like; --calendar takes seconds and years`,
      came,
    );
  }
  const read = readFields(CRON_FIELDS.map((name, at) => [name, parts[at] ?? '']));
  if (read.type === 'refused' || read.times.day === '*' || read.times.weekday === '*') return read;
  return refused('days of the month or days of the week, and * for the other; --calendar takes both', given);
}

/**
 * Reads calendar times as `weekday=mon-fri hour=6,18 minute=30`. A time matches if all fields do. Without a second, minute or hour that is 0;
 * any other field that is left out may have any value.
 */
export function parseCalendar(text: string): ReadCalendar {
  const form = `FIELD=VALUES, separated by blanks, of ${Object.keys(FIELDS).join(', ')}, each at most once; as in "weekday=mon-fri hour=6,18"`;
  const pairs = text
    .trim()
    .split(/\s+/)
    .map((part) => part.split('='));
  const names = new Set(pairs.map(([name]) => name));
  const isSound = pairs.every((pair) => pair.length === 2 && Object.hasOwn(FIELDS, pair[0] ?? ''));
  if (!isSound || names.size < pairs.length) return refused(form, text);
  return readFields(pairs.map(([name, values]) => [name as FieldName, values ?? '']));
}

function readFields(given: readonly (readonly [FieldName, string])[]): ReadCalendar {
  const times: { [F in FieldName]: FieldValues } = { ...MIDNIGHT };
  for (const [name, text] of given) {
    const values = parseField(FIELDS[name], text.toLowerCase());
    if (values === undefined) return refused(`${name}: ${expectedOf(FIELDS[name])}`, text === '' ? 'nothing' : text);
    times[name] = name === 'weekday' && values !== '*' ? oneSunday(values) : values;
  }
  return { type: 'read', times };
}

/** Reads `*`, `5`, `1-5`, `mon-fri`, any of them with a step (`*` `/15`), and lists of them. Undefined for any other text. */
function parseField(field: Field, text: string): FieldValues | undefined {
  if (text === '*' || text === '?') return '*';
  const values = new Set<number>();
  for (const part of text.split(',')) {
    const found = /^(?:(?<all>\*)|(?<from>[a-z]+|\d+)(?:-(?<to>[a-z]+|\d+))?)(?:\/(?<step>\d+))?$/.exec(part);
    if (found?.groups === undefined) return undefined;
    const { all, from, to, step } = found.groups;
    const start = all === undefined ? valueOf(field, from ?? '') : field.least;
    // `5/15` goes on to the end, as in cron.
    const isOpen = all !== undefined || (step !== undefined && to === undefined);
    const end = isOpen ? field.most : valueOf(field, to ?? from ?? '', start);
    const by = Number(step ?? 1);
    if (start === undefined || end === undefined || end < start || by < 1) return undefined;
    for (let value = start; value <= end; value += by) values.add(value);
  }
  return [...values].sort((one, other) => one - other);
}

/** The value of a number or word. A Sunday that ends a range comes after its `start`. */
function valueOf({ least, most, words }: Field, text: string, start?: number): number | undefined {
  const word = words?.indexOf(text) ?? -1;
  const value = word === -1 ? (/^\d+$/.test(text) ? Number(text) : Number.NaN) : word + least;
  if (words === WEEKDAYS && value === SUNDAY && start !== undefined && start > SUNDAY) return SUNDAY_AT_THE_END;
  return value >= least && value <= most ? value : undefined;
}

function oneSunday(values: readonly number[]): readonly number[] {
  const days = new Set(values.map((day) => (day === SUNDAY_AT_THE_END ? SUNDAY : day)));
  return [...days].sort((one, other) => one - other);
}

function expectedOf({ least, most, words }: Field): string {
  const named = words === undefined ? '' : ` or ${words[0] ?? ''} to ${words.at(-1) ?? ''}`;
  return `*, ${least} to ${most}${named}, ranges (1-5), lists (1,3) and steps (*/2)`;
}

function refused(expected: string, came: string): ReadCalendar {
  return { type: 'refused', expected, came };
}
