import { expectedOf, parseValue, type ValueOf } from '../../contract/value-kinds.ts';
import { OVERLAP_POLICIES, type OverlapPolicy } from '../../contract/schedule.ts';
import { parseCron, type CalendarTimes } from './parse-cron.ts';
import { DURATION_FORM, formatDuration, parseDuration } from '../../contract/times.ts';

/** Parses and validates the options of a schedule. */

/**
 * When a schedule fires: at multiples of an interval since 1970 in UTC, or at calendar times. `text`: the cron
 * expression as the user wrote it.
 */
export type Times =
  | { readonly type: 'every'; readonly everyMs: number }
  | { readonly type: 'calendar'; readonly calendar: CalendarTimes; readonly text: string };

/** When a schedule fires, and how firings that cannot take place in time are handled. */
export interface ScheduleSpec {
  readonly times: Times;
  /** IANA name. Calendars are read in it, and times are shown in it. */
  readonly timezone: string;
  /** Each firing comes up to this much later, ms. */
  readonly jitterMs: number;
  readonly overlap: OverlapPolicy;
  /** A missed firing still takes place if the server is back within this time, ms. */
  readonly catchUpMs: number;
  /** True: pauses when an occurrence fails. */
  readonly pauseOnFailure: boolean;
  /** It does not fire after this time, ms since 1970; null for no end. */
  readonly until: number | null;
  /** How often it may fire on its own from now on; null for no limit. */
  readonly runs: number | null;
  /**
   * Credits that its batches of a calendar month, in its timezone, may spend together; null for no limit. See
   * `month-budget.ts`.
   */
  readonly budgetMonth: number | null;
}

/** A {@link ScheduleSpec} as written on a command line; omitted options take their defaults. */
export interface WrittenSpec {
  readonly every?: string | undefined;
  readonly cron?: string | undefined;
  /** Default `UTC`: a schedule does not depend on the machine where it was written. */
  readonly timezone?: string | undefined;
  /** Default none. */
  readonly jitter?: string | undefined;
  /** Default `skip`. */
  readonly overlap?: string | undefined;
  /** Default `1h`. */
  readonly catchUp?: string | undefined;
  /** Default false. */
  readonly pauseOnFailure?: boolean | undefined;
  /** Default: no end. */
  readonly until?: string | undefined;
  /** Default: no limit. */
  readonly runs?: number | undefined;
  /** Credits, or `none`. Default: no limit. */
  readonly budgetMonth?: string | undefined;
}

/** A parsed spec, or the invalid option with what was expected. */
export type ReadSpec =
  | { readonly type: 'read'; readonly spec: ScheduleSpec }
  | { readonly type: 'refused'; readonly option: keyof WrittenSpec; readonly expected: string; readonly got: string };

const HOUR_MS = 3_600_000;
/** Max jitter, ms. A firing is matched to its due time within the jitter; a later one matches none. */
export const MAX_JITTER_MS = 28 * 24 * HOUR_MS;
/** Temporal rounds shorter catch-up times up to this, ms. */
const MIN_CATCH_UP_MS = 10_000;

/** Defaults of the optional settings. */
const DEFAULTS = {
  timezone: 'UTC',
  jitterMs: 0,
  overlap: 'skip',
  catchUpMs: HOUR_MS,
  pauseOnFailure: false,
  until: null,
  runs: null,
  budgetMonth: null,
} as const satisfies Omit<ScheduleSpec, 'times'>;

/** Parses written options. Omitted ones keep their value from `before`, if given, or take their default. */
export function readScheduleSpec(written: WrittenSpec, before?: ScheduleSpec): ReadSpec {
  const times = readTimes(written, before);
  if (times.type === 'refused') return times;
  const base = before ?? DEFAULTS;
  const { timezone = base.timezone, jitter, overlap = base.overlap, catchUp, until, runs = base.runs } = written;
  if (!isTimezone(timezone)) {
    return refused('timezone', 'a name of the IANA database, such as Europe/Berlin or UTC', timezone);
  }
  const jitterMs = jitter === undefined ? base.jitterMs : jitter === '0' ? 0 : parseDuration(jitter);
  if (jitterMs === undefined || (jitter !== undefined && jitterMs > MAX_JITTER_MS)) {
    return refused('jitter', `${DURATION_FORM}; ${formatDuration(MAX_JITTER_MS)} at most; or 0`, jitter);
  }
  const policy = OVERLAP_POLICIES.find((one) => one === overlap);
  if (policy === undefined) return refused('overlap', `one of ${OVERLAP_POLICIES.join(', ')}`, overlap);
  const catchUpMs = catchUp === undefined ? base.catchUpMs : (parseDuration(catchUp) ?? 0);
  if (catchUpMs < MIN_CATCH_UP_MS) {
    return refused('catchUp', `${DURATION_FORM}; ${formatDuration(MIN_CATCH_UP_MS)} or more`, catchUp);
  }
  const end = until === undefined ? base.until : parseInstant(until);
  if (end === undefined) return refused('until', INSTANT_FORM, until);
  if (written.runs !== undefined && !(Number.isSafeInteger(written.runs) && written.runs > 0)) {
    return refused('runs', 'a whole number above 0', String(written.runs));
  }
  const budgetMonth = written.budgetMonth === undefined ? base.budgetMonth : readCredits(written.budgetMonth);
  if (budgetMonth === undefined) return refused('budgetMonth', expectedOf(CREDITS), written.budgetMonth);
  const { pauseOnFailure = base.pauseOnFailure } = written;
  return {
    type: 'read',
    spec: {
      times: times.times,
      timezone,
      jitterMs,
      overlap: policy,
      catchUpMs,
      pauseOnFailure,
      until: end,
      runs,
      budgetMonth,
    },
  };
}

const CREDITS = { type: 'credits' } as const;

function readCredits(text: string): number | null | undefined {
  return parseValue(CREDITS, text) as ValueOf<typeof CREDITS> | undefined;
}

type ReadTimes = { readonly type: 'read'; readonly times: Times } | Extract<ReadSpec, { readonly type: 'refused' }>;

function readTimes({ every, cron }: WrittenSpec, before: ScheduleSpec | undefined): ReadTimes {
  const given = [every, cron].filter((one) => one !== undefined);
  if (given.length === 0 && before !== undefined) return { type: 'read', times: before.times };
  if (given.length !== 1) {
    return refused('every', 'one of --every, --cron', given.length === 0 ? 'none of them' : given.join(' and '));
  }
  if (cron !== undefined) {
    const read = parseCron(cron);
    return read.type === 'refused'
      ? refused('cron', read.expected, read.got)
      : { type: 'read', times: { type: 'calendar', calendar: read.times, text: `cron ${cron.trim()}` } };
  }
  const everyMs = parseDuration(every ?? '');
  return everyMs === undefined
    ? refused('every', DURATION_FORM, every)
    : { type: 'read', times: { type: 'every', everyMs } };
}

/** What {@link parseInstant} accepts, for a message that begins with "expected". */
export const INSTANT_FORM = 'a date and time with its zone, such as 2026-12-31T23:59:59Z or 2026-12-31T23:59+01:00';

/** Parses an ISO 8601 time with its offset to UTC into ms since 1970. Undefined for any other text. */
export function parseInstant(text: string): number | undefined {
  const found = /^(?<day>\d{4}-\d\d-\d\d)T\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?(?:Z|[+-]\d\d:\d\d)$/.exec(text.trim());
  const at = found === null ? Number.NaN : Date.parse(text.trim());
  // `Date` accepts 30 February, as a day in March.
  const day = found?.groups?.['day'] ?? '';
  if (Number.isNaN(at) || new Date(`${day}T00:00:00Z`).toISOString().slice(0, 10) !== day) return undefined;
  return at;
}

/** Whether both this program and Temporal know a timezone name. Temporal accepts no offsets such as `+01:00`. */
function isTimezone(name: string): boolean {
  if (!/^[A-Z][A-Za-z0-9_+-]*(?:\/[A-Za-z0-9_+-]+)*$/.test(name)) return false;
  try {
    const { timeZone } = new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions();
    // Temporal requires the exact case of the database; Intl does not.
    return timeZone === name || timeZone.toLowerCase() !== name.toLowerCase();
  } catch {
    return false;
  }
}

function refused(
  option: keyof WrittenSpec,
  expected: string,
  got: string | undefined,
): Extract<ReadSpec, { readonly type: 'refused' }> {
  return { type: 'refused', option, expected, got: got ?? 'nothing' };
}
