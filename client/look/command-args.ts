import { relative, resolve } from 'node:path';
import { defaultOut } from '../../contract/batch-name.ts';
import type { NamedRow } from '../../contract/named-row.ts';

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

/** Maximum rows that a command names; more would not fit a line. */
export const MOST_NAMED = 20;

/**
 * A row for `--rows`, `--resubmit`, `--adopt` and `explain`: its id, or `#N` if the id would be read differently. An id
 * such as `#7` is read as an id, as ids are looked up before numbers.
 */
export function rowArg({ row, id }: NamedRow): string {
  return /^-|,|^\s|\s$|\p{Cc}/u.test(id) || id === '' ? `#${String(row)}` : id;
}

/** Rows for `--rows` and `--resubmit`; only the first if there are many. */
export function rowsArg(rows: readonly NamedRow[]): string {
  return rows.slice(0, MOST_NAMED).map(rowArg).join(',');
}

/** An earlier take of a row, for `--not-charged` and `--adopt`. */
export function takeArg(row: NamedRow, take: number): string {
  return `${rowArg(row)}/${String(take)}`;
}
