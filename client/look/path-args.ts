import { relative, resolve } from 'node:path';
import { defaultOut } from '../../batches/batch-name.ts';

/** A path as a person in the working directory would write it. */
export function shortPath(path: string): string {
  const short = relative(process.cwd(), path);
  return short === '' ? '.' : short.startsWith('..') ? path : short;
}

/** A path as an argument of a command: none is read as a flag. */
export function pathArg(path: string): string {
  return path.startsWith('-') ? `./${path}` : path;
}

/**
 * `--out DIR`, if the files of a batch are in another folder than usual: a command without it would write them to the usual one. It is not on
 * record, so only the command that was given it knows. `out`: undefined if it does not; null if the batch has no files.
 */
export function outArgs(batch: string, out: string | null | undefined): readonly string[] {
  if (out === undefined || out === null || resolve(out) === resolve(defaultOut(batch))) return [];
  return ['--out', pathArg(shortPath(resolve(out)))];
}
