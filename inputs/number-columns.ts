import { cellOf } from '../contract/row-kinds.ts';
import type { Decimal } from '../contract/table-format.ts';
import { parseUnsignedNumber } from '../contract/value-kinds.ts';
import { headerFor, specColumns } from './header-names.ts';

/** The columns of a file whose cells are numbers, such as `speed`, as the file names them. */
export function numberColumns(
  columns: readonly string[],
  reading: Parameters<typeof headerFor>[2],
): ReadonlySet<string> {
  const ours = specColumns().filter((column) => ['number', 'seconds', 'threshold'].includes(cellOf(column)));
  return new Set(ours.map((column) => headerFor(column, columns, reading)).filter((name) => columns.includes(name)));
}

/** The number that a cell of such a column holds; NaN for another text. */
export function numberIn(cell: string, decimal: Decimal): number {
  return parseUnsignedNumber(cell.trim().replace(decimal, '.'));
}
