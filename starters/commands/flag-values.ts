import { InvalidArgumentError } from 'commander';
import { DURATION_FORM, parseDuration } from '../../contract/duration.ts';
import { faultOfFinishing, LOUDNESS_FORM } from '../../contract/finishing.ts';
import { parsePause, PAUSE_FORM } from '../../contract/joining.ts';
import { parsePositive } from '../../contract/value-kinds.ts';

/** Parses a number above 0, for a flag. */
export function positive(value: string): number {
  const parsed = parsePositive(value);
  if (parsed === undefined) throw new InvalidArgumentError('expected a number above 0.');
  return parsed;
}

/** Parses the length of a pause, for a flag; returns seconds. */
export function pause(value: string): number {
  const parsed = parsePause(value);
  if (parsed === undefined) throw new InvalidArgumentError(`expected ${PAUSE_FORM}.`);
  return parsed;
}

/** Parses a loudness in LUFS, for a flag. */
export function loudness(value: string): number {
  const parsed = /^-\d+(\.\d+)?$/.test(value) ? Number(value) : Number.NaN;
  if (faultOfFinishing({ loudness: parsed }) !== undefined) {
    throw new InvalidArgumentError(`expected ${LOUDNESS_FORM}.`);
  }
  return parsed;
}

/** Makes a parser that also takes `none`, for a flag that takes back what the configuration says. */
export function orNone<T>(parse: (value: string) => T): (value: string) => T | 'none' {
  return (value) => (value === 'none' ? value : parse(value));
}

/** Parses a number of credits, 0 included, for a flag. */
export function credits(value: string): number {
  return value.trim() === '0' ? 0 : positive(value);
}

/** Parses a length of time, for a flag; returns ms. */
export function duration(value: string): number {
  const parsed = parseDuration(value);
  if (parsed === undefined) throw new InvalidArgumentError(`expected ${DURATION_FORM}.`);
  return parsed;
}

/** Parses a share such as `5%`, for a flag; `any` is no bound. */
export function share(value: string): number {
  if (value === 'any') return Infinity;
  const found = /^(?<percent>\d+(?:\.\d+)?) ?%$/.exec(value.trim())?.groups?.['percent'];
  if (found === undefined) throw new InvalidArgumentError('expected a share, such as 5%, or any.');
  return Number(found) / 100;
}

/** A share as {@link share} takes it: `5%`, `0.5%`; `any` for no bound. */
export function shareWord(value: number): string {
  return value === Infinity ? 'any' : `${String(Math.round(value * 1_000) / 10)}%`;
}

/** Makes a parser of whole numbers from `least` up, for a flag. */
export function wholeFrom(least: number): (value: string) => number {
  return (value) => {
    const parsed = /^\d+$/.test(value) ? Number(value) : Number.NaN;
    if (!Number.isSafeInteger(parsed) || parsed < least)
      throw new InvalidArgumentError(`expected a whole number from ${String(least)} on.`);
    return parsed;
  };
}

/** Adds a value to the earlier ones, for a flag that may be repeated. */
export function collect(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}

const SIZE_UNITS = ['B', 'KB', 'MB', 'GB', 'TB'];

/** Parses a size such as `10GB`, in powers of 1,000 as they are printed, for a flag. */
export function bytes(value: string): number {
  const found = /^(?<count>\d+(?:\.\d+)?) ?(?<unit>[KMGT]?B?)$/i.exec(value.trim())?.groups;
  const unit = (found?.['unit'] ?? '').toUpperCase().replace(/^([KMGT])$/, '$1B') || 'B';
  const size =
    found === undefined ? Number.NaN : Math.floor(Number(found['count']) * 1_000 ** SIZE_UNITS.indexOf(unit));
  if (!Number.isSafeInteger(size)) throw new InvalidArgumentError('expected a size, such as 500MB or 10GB.');
  return size;
}
