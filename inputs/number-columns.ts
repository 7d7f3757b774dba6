import { cellOf } from '../contract/row-kinds.ts';
import type { Decimal } from '../contract/table-format.ts';
import { parseUnsignedNumber } from '../contract/value-kinds.ts';
import { headerFor, specColumns } from './header-names.ts';

/**
 * Returns the headers of the columns whose cells are numbers, such as `speed`, so that workbooks of results write them
 * as numbers.
 *
 * @param columns all headers of the file
 * @param reading how the manifest's headers were read
 */
export function numberColumns(
  columns: readonly string[],
  reading: Parameters<typeof headerFor>[2],
): ReadonlySet<string> {
  const ours = specColumns().filter((column) => ['number', 'seconds', 'threshold'].includes(cellOf(column)));
  return new Set(ours.map((column) => headerFor(column, columns, reading)).filter((name) => columns.includes(name)));
}

/** Parses a cell of such a column; NaN for another text. `decimal`: its decimal separator, besides a point. */
export function numberIn(cell: string, decimal: Decimal): number {
  return parseUnsignedNumber(cell.trim().replace(decimal, '.'));
}
