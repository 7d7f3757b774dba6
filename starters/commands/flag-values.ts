import { InvalidArgumentError } from 'commander';
import { parsePositive } from '../../contract/value-kinds.ts';

/** A number above 0, for a flag. */
export function positive(value: string): number {
  const parsed = parsePositive(value);
  if (parsed === undefined) throw new InvalidArgumentError('expected a number above 0.');
  return parsed;
}

/** A number of credits, 0 included, for a flag. */
export function credits(value: string): number {
  return value.trim() === '0' ? 0 : positive(value);
}

/** Makes the reader of a whole number of this size or more, for a flag. */
export function wholeFrom(least: number): (value: string) => number {
  return (value) => {
    const parsed = /^\d+$/.test(value) ? Number(value) : Number.NaN;
    if (!Number.isSafeInteger(parsed) || parsed < least)
      throw new InvalidArgumentError(`expected a whole number from ${String(least)} on.`);
    return parsed;
  };
}

/** Adds a value to those before, for a flag that may be repeated. */
export function collect(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}
