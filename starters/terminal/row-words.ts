import type { NamedRow } from '../../batches/leftovers.ts';
import { shellWord } from './go-on-command.ts';
import { number } from './progress.ts';
import { oneLine } from './table.ts';

/** An earlier take of a row as `--not-charged` and `--adopt` take it, as one word for a shell. */
export function takeWord(row: NamedRow, take: number): string {
  return shellWord(`${rowWord(row)}/${String(take)}`);
}

/** Rows that a command names; more would not fit a line. */
const NAMED = 20;

/** A row as `--rows`, `--resubmit`, `--adopt` and `explain` take it: its id, or `#N` where the id would be read in another way. */
export function rowWord({ row, id }: NamedRow): string {
  return /^[-#]|,|^\s|\s$|\p{Cc}/u.test(id) || id === '' ? `#${String(row)}` : id;
}

/** Rows as `--rows` and `--resubmit` take them, as one word for a shell; the first of them where they are many. */
export function rowsWord(rows: readonly NamedRow[]): string {
  return shellWord(rows.slice(0, NAMED).map(rowWord).join(','));
}

/** ` (the first 20 of 57 rows)`, where a command does not name all. */
export function unnamedRows({ count }: { readonly count: number }): string {
  return count > NAMED ? ` (the first ${String(NAMED)} of ${number(count)} rows)` : '';
}

/** A row in a message: by the user's own name for it, then by its number, as in `L0077 (row 78)`. */
export function namedRow({ row, id }: NamedRow): string {
  return `${oneLine(id)} (row ${String(row)})`;
}

/** `1,000 rows`; `20 of 1,000 rows` where the others are not chosen. */
export function chosenInWords(chosen: number, all: number): string {
  return chosen === all ? rowsInWords(all) : `${number(chosen)} of ${rowsInWords(all)}`;
}

/** `1 row`, `1,000 rows`. */
export function rowsInWords(rows: number): string {
  return rows === 1 ? '1 row' : `${number(rows)} rows`;
}
