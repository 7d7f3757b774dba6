import { PLAIN_TABLE, type Delimiter } from '../contract/table-format.ts';
import { guardCell } from '../inputs/formula-guard.ts';

/** A value of a line: a cell of the input, or one of the result columns. */
export type LineValue = string | number | readonly string[];

/** A line in CSV: guarded against formulas, quoted as RFC 4180 says, with an LF at its end. */
export function csvLine(values: readonly LineValue[], delimiter: Delimiter = PLAIN_TABLE.delimiter): string {
  return `${values.map((value) => quoted(csvCell(value), delimiter)).join(delimiter)}\n`;
}

/** A value as a reader of the CSV gets it: lists are joined with spaces, formulas made harmless. */
export function csvCell(value: LineValue): string {
  return guardCell(typeof value === 'object' ? value.join(' ') : String(value));
}

/**
 * A line in JSONL: an object with the names in the order given, which a plain object would not keep for names that are
 * numbers. Line separators that JSON allows within a string are escaped, for many readers end a line there.
 */
export function jsonLine(names: readonly string[], values: readonly unknown[]): string {
  const members = names.map((name, index) => `${JSON.stringify(name)}:${JSON.stringify(values[index] ?? null)}`);
  return `{${members.join(',')}}\n`.replaceAll(
    /[\u0085\u2028\u2029]/gu,
    (mark) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** Quotes a cell that needs it. A leading byte order mark is quoted too, so that no reader takes it for the file's own. */
function quoted(cell: string, delimiter: Delimiter): string {
  return cell.includes(delimiter) || /["\r\n]|^[\s\ufeff]|\s$/u.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}
