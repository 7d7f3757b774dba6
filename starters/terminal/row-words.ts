import { MOST_NAMED } from '../../client/look/command-args.ts';
import type { NamedRow } from '../../contract/named-row.ts';
import { partWord } from '../../contract/row-parts.ts';
import { oneLine } from './table.ts';
import { number, plural } from './words.ts';

/** ` (the first 20 of 57 rows)`, if a command does not name all. */
export function unnamedRows(some: { readonly count: number; readonly parts?: number }): string {
  return some.count > MOST_NAMED ? ` (the first ${String(MOST_NAMED)} of ${unitsInWords(some)})` : '';
}

/** A row in a message: its own id first, then its number, as in `L0077 (row 78)`; `L0077#2 (part of row 78)`. */
export function namedRow({ row, id, partOf }: NamedRow): string {
  return `${oneLine(id)} (${(partOf ?? null) === null ? '' : 'part of '}row ${String(partOf ?? row)})`;
}

/** `1,000 rows`; `20 of 1,000 rows` if the others are not selected. */
export function chosenInWords(chosen: number, all: number): string {
  return chosen === all ? rowsInWords(all) : `${number(chosen)} of ${rowsInWords(all)}`;
}

/** `3 rows`, `2 parts`, `1 row and 2 parts`: of so many, `parts` are parts of rows. */
export function unitsInWords({ count, parts = 0 }: { readonly count: number; readonly parts?: number }): string {
  const words = [...(count > parts ? [rowsInWords(count - parts)] : []), ...(parts > 0 ? [partWord(parts)] : [])];
  return words.length === 0 ? rowsInWords(0) : words.join(' and ');
}

/** `1 row`, `1,000 rows`. */
export function rowsInWords(rows: number): string {
  return plural(rows, 'row');
}
