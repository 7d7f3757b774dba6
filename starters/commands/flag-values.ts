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
 * A flag: its syntax as commander reads it (`-o, --out <file>`), its help text, and its values: a list of choices, or a
 * parser. Without either it takes any text, or no value if the syntax has none. `before`: the value so far of a flag
 * that is repeated.
 */
export type Flag = readonly [
  syntax: string,
  help: string,
  takes?: readonly string[] | ((text: string, before?: never) => unknown),
];

/** Flags, by the names that their values have in `Flags`. */
export type FlagTable = Readonly<Record<string, Flag>>;

/** Returns a flag's parser, which throws where `parse` returns undefined. `expected`: completes "expected …". */
export function reading<T>(parse: (text: string) => T | undefined, expected: string): (text: string) => T {
  return (text) => {
    const value = parse(text);
    if (value === undefined) throw new InvalidArgumentError(`expected ${expected}.`);
    return value;
  };
}

/**
 * Returns `given` if it is one of `names`. For values that may name a user's own operation, so they can be checked only
 * after the config file is read. Throws {@link ExitError} `usage`.
 */
export function nameAmong<Name extends string>(flag: string, given: string, names: readonly Name[]): Name {
  const name = names.find((known) => known === given);
  if (name === undefined) throw usageError(`${flag}: expected one of ${names.join(', ')}; got "${given}".`);
  return name;
}

/** A number above 0, which need not be whole. */
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

/** A dialect, or the share of rows that use the legacy one. */
export const dialectChoice = reading(
  (text) => (parseDialectChoice(text) === undefined ? undefined : (text as DialectChoice)),
  DIALECT_FORMS,
);

/**
 * The threshold of `--verify`. Its value is optional, so commander would take the next word for it: the error says so.
 */
export const verify = reading(
  (text) => (parseVerifyThreshold(text) === undefined ? undefined : text),
  `${THRESHOLD_FORM}. Any other word goes before --verify, or after --verify=true`,
);

/** Returns a parser that also accepts `none`, for a flag that switches off what the config file sets. */
export function orNone<T>(parse: (text: string) => T): (text: string) => T | 'none' {
  return (text) => (text === 'none' ? text : parse(text));
}

/** A share such as `5%`, as 0.05; `any` means no bound, as Infinity. */
export const share = reading((text) => {
  if (text === 'any') return Infinity;
  const found = /^(?<percent>\d+(?:\.\d+)?) ?%$/.exec(text.trim())?.groups?.['percent'];
  return found === undefined ? undefined : Number(found) / 100;
}, 'a share, such as 5%, or any');

/** Formats a share as {@link share} reads it: `5%`, `0.5%`; `any` for Infinity. */
export function shareWord(value: number): string {
  return value === Infinity ? 'any' : `${String(Math.round(value * 1_000) / 10)}%`;
}

/** Returns a parser of whole numbers from `min` on. */
export function wholeFrom(min: number): (text: string) => number {
  return reading(
    (text) => {
      const parsed = /^\d+$/.test(text) ? Number(text) : Number.NaN;
      return Number.isSafeInteger(parsed) && parsed >= min ? parsed : undefined;
    },
    `a whole number from ${String(min)} on`,
  );
}

/** Adds a value to the earlier ones, for a flag that may be repeated. */
export function collect(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}

/** Adds a field such as `mood=calm` to the earlier ones; its value is read as the cell of a column `api.mood`. */
export function apiField(given: string, before: ApiFields = {}): ApiFields {
  const [, field = '', value = ''] = /^([^=]+)=(.*)$/s.exec(given) ?? [];
  if (field.trim() === '' || value === '') throw new InvalidArgumentError('expected FIELD=VALUE, as in mood=calm.');
  return { ...before, [field.trim()]: parseApiCell(value) };
}

const SIZE_UNITS = ['B', 'KB', 'MB', 'GB', 'TB'];

/** Bytes, from a size such as `10GB`; units are powers of 1,000, as in printed sizes. */
export const bytes = reading((text) => {
  const found = /^(?<count>\d+(?:\.\d+)?) ?(?<unit>[KMGT]?B?)$/i.exec(text.trim())?.groups;
  const unit = (found?.['unit'] ?? '').toUpperCase().replace(/^([KMGT])$/, '$1B') || 'B';
  const size = Math.floor(Number(found?.['count']) * 1_000 ** SIZE_UNITS.indexOf(unit));
  return Number.isSafeInteger(size) ? size : undefined;
}, 'a size, such as 500MB or 10GB');
