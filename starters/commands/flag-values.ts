import { InvalidArgumentError } from 'commander';
import { parseApiCell } from '../../contract/exact-json.ts';
import { DIALECT_FORMS, parseDialectChoice, type DialectChoice } from '../../contract/dialects.ts';
import { DURATION_FORM, parseDuration } from '../../contract/times.ts';
import { findFinishingFault, LOUDNESS_FORM, parsePause, PAUSE_FORM } from '../../contract/finishing.ts';
import { parsePositive } from '../../contract/value-kinds.ts';
import { parseVerifyThreshold, THRESHOLD_FORM } from '../../contract/verify.ts';
import { usageError } from '../exit-error.ts';
import type { ApiFields } from '../../client/single/build-single-job.ts';

/**
 * A flag: its syntax in the help, its meaning, and its values, which are a choice of words or whatever a parser
 * accepts. By default it takes any text, or no value.
 */
export type Flag = readonly [
  flags: string,
  means: string,
  takes?: readonly string[] | ((text: string, before?: never) => unknown),
];

/** Flags by the names of their values. */
export type FlagTable = Readonly<Record<string, Flag>>;

/** Turns a parser that returns undefined for invalid text into a flag value reader. */
export function reading<T>(parse: (text: string) => T | undefined, expected: string): (text: string) => T {
  return (text) => {
    const value = parse(text);
    if (value === undefined) throw new InvalidArgumentError(`expected ${expected}.`);
    return value;
  };
}

/**
 * Validates a flag's name once the configuration is read, because it may be a user's own operation. Throws {@link
 * ExitError} `usage`.
 */
export function nameAmong<Name extends string>(flag: string, given: string, names: readonly Name[]): Name {
  const name = names.find((one) => one === given);
  if (name === undefined) throw usageError(`${flag}: expected one of ${names.join(', ')}; got "${given}".`);
  return name;
}

export const positive = reading(parsePositive, 'a number above 0');
/** A number of credits, 0 included. */
export const credits = (text: string): number => (text.trim() === '0' ? 0 : positive(text));
/** Seconds. */
export const pause = reading(parsePause, PAUSE_FORM);
/** Ms. */
export const duration = reading(parseDuration, DURATION_FORM);
/** LUFS. */
export const loudness = reading((text) => {
  const parsed = /^-\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
  return findFinishingFault({ loudness: parsed }) === undefined ? parsed : undefined;
}, LOUDNESS_FORM);

export const dialectChoice = reading(
  (text) => (parseDialectChoice(text) === undefined ? undefined : (text as DialectChoice)),
  DIALECT_FORMS,
);

/** The flag's value is optional, so it would take the next word for its value. */
export const verify = reading(
  (text) => (parseVerifyThreshold(text) === undefined ? undefined : text),
  `${THRESHOLD_FORM}. Any other word goes before --verify, or after --verify=true`,
);

/** Also accepts `none`, for a flag that overrides the configuration. */
export function orNone<T>(parse: (text: string) => T): (text: string) => T | 'none' {
  return (text) => (text === 'none' ? text : parse(text));
}

/** A share such as `5%`; `any` means no bound. */
export const share = reading((text) => {
  if (text === 'any') return Infinity;
  const found = /^(?<percent>\d+(?:\.\d+)?) ?%$/.exec(text.trim())?.groups?.['percent'];
  return found === undefined ? undefined : Number(found) / 100;
}, 'a share, such as 5%, or any');

/** A share as {@link share} takes it: `5%`, `0.5%`; `any` for no bound. */
export function shareWord(value: number): string {
  return value === Infinity ? 'any' : `${String(Math.round(value * 1_000) / 10)}%`;
}

/** Whole numbers from `least` on. */
export function wholeFrom(least: number): (text: string) => number {
  return reading(
    (text) => {
      const parsed = /^\d+$/.test(text) ? Number(text) : Number.NaN;
      return Number.isSafeInteger(parsed) && parsed >= least ? parsed : undefined;
    },
    `a whole number from ${String(least)} on`,
  );
}

/** Adds a value to the earlier ones, for a flag that may be repeated. */
export function collect(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}

/** `mood=calm`, as the cell of an `api.mood` column; may be repeated. */
export function apiField(given: string, before: ApiFields = {}): ApiFields {
  const [, field = '', value = ''] = /^([^=]+)=(.*)$/s.exec(given) ?? [];
  if (field.trim() === '' || value === '') throw new InvalidArgumentError('expected FIELD=VALUE, as in mood=calm.');
  return { ...before, [field.trim()]: parseApiCell(value) };
}

const SIZE_UNITS = ['B', 'KB', 'MB', 'GB', 'TB'];

/** A size such as `10GB`, in powers of 1,000 as they are printed. */
export const bytes = reading((text) => {
  const found = /^(?<count>\d+(?:\.\d+)?) ?(?<unit>[KMGT]?B?)$/i.exec(text.trim())?.groups;
  const unit = (found?.['unit'] ?? '').toUpperCase().replace(/^([KMGT])$/, '$1B') || 'B';
  const size = Math.floor(Number(found?.['count']) * 1_000 ** SIZE_UNITS.indexOf(unit));
  return Number.isSafeInteger(size) ? size : undefined;
}, 'a size, such as 500MB or 10GB');
