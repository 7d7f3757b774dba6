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

/** Adds a value to those before, for a flag that may be repeated. */
export function collect(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}
