import { decimalOf, DEFAULT_TABLE_FORMAT, type Decimal, type Delimiter } from '../contract/table-format.ts';
import { guardCell } from '../inputs/formula-guard.ts';

/** A value of a line: an input cell, or a result column. Null is an empty cell. */
export type LineValue = string | number | readonly string[] | null;

/** A line of CSV: guarded against formulas, quoted per RFC 4180, ending in LF. */
export function csvLine(values: readonly LineValue[], delimiter: Delimiter = DEFAULT_TABLE_FORMAT.delimiter): string {
  const decimal = decimalOf({ delimiter });
  return `${values.map((value) => quoted(csvCell(value, decimal), delimiter)).join(delimiter)}\n`;
}

/**
 * A value as it appears in CSV: lists joined with spaces, formulas neutralised. Negative numbers do not count as
 * formulas.
 */
export function csvCell(value: LineValue, decimal: Decimal = '.'): string {
  if (value === null) return '';
  if (typeof value === 'number') return String(value).replace('.', decimal);
  return guardCell(typeof value === 'object' ? value.join(' ') : value);
}

/**
 * A line of JSONL: an object with the names in the given order, which a plain object would not keep for numeric names.
 * Escapes line separators that JSON allows within a string, because many readers end a line there.
 */
export function jsonLine(names: readonly string[], values: readonly unknown[]): string {
  const members = names.map((name, index) => `${JSON.stringify(name)}:${JSON.stringify(values[index] ?? null)}`);
  return `{${members.join(',')}}\n`.replaceAll(
    /[\u0085\u2028\u2029]/gu,
    (mark) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/**
 * Quotes a cell that needs it. Also quotes a leading byte order mark, so that no reader takes it for the file's own.
 */
function quoted(cell: string, delimiter: Delimiter): string {
  return cell.includes(delimiter) || /["\r\n]|^[\s\ufeff]|\s$/u.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}
