import type { Command } from 'commander';
import { DEFAULT_SEED, type Subset } from '../../contract/subset.ts';
import { usageError } from '../exit-error.ts';
import { wholeFrom } from './flag-values.ts';

/** Which rows to run. */
export interface SubsetFlags {
  readonly limit?: number;
  readonly sample?: number;
  readonly seed?: number;
}

/** Adds the flags of {@link SubsetFlags}. None has a default here, so that given flags can be told from the others. */
export function addSubsetFlags(command: Command): Command {
  const others = 'a later run without it, or with a larger number, runs the others';
  return command
    .option('--limit <n>', `Run only the first n rows; ${others}`, wholeFrom(1))
    .option('--sample <n>', `Run only n rows, from all kinds, voices and engines; ${others}`, wholeFrom(1))
    .option('--seed <n>', `With --sample: draw other rows (default: ${String(DEFAULT_SEED)})`, wholeFrom(0));
}

/** Reads the subset; null: all rows. Throws {@link ExitError} `usage` for flags that exclude each other. */
export function readSubset({ limit, sample, seed }: SubsetFlags): Subset | null {
  if (limit !== undefined && sample !== undefined) throw usageError('--limit cannot be combined with --sample.');
  if (seed !== undefined && sample === undefined) throw usageError('--seed needs --sample.');
  if (limit !== undefined) return { type: 'limit', rows: limit };
  return sample === undefined ? null : { type: 'sample', rows: sample, seed: seed ?? DEFAULT_SEED };
}
