import type { BatchRecord } from '../ledger/record-types.ts';
import { nameFromFile } from './load-batch.ts';

/** What a manifest that came through a pipe is called; see `inputs/manifest-source.ts`. */
const STANDARD_INPUT = 'standard input';

/**
 * The command that goes on with a batch. Flags that shape its rows (`--voice`, `--map` and the like) are not on record, so
 * they are not in it: a person must repeat them.
 */
export function goOnCommand(batch: Pick<BatchRecord, 'name' | 'source'>): string {
  const { name, source } = batch;
  if (source === STANDARD_INPUT) return `voxbatch run - --name ${shellWord(name)} (with the same input)`;
  return `voxbatch run ${shellWord(source)}${nameFromFile(source) === name ? '' : ` --name ${shellWord(name)}`}`;
}

/** A word as a POSIX shell takes it. */
export function shellWord(word: string): string {
  return /^[\w./:@%+=,-]+$/u.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
