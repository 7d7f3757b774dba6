/** Limits and notation of Excel sheets, for reading and writing `.xlsx` files. */

/** Max rows of a sheet, including its header. */
export const EXCEL_ROWS = 1_048_576;

/** Max length of a cell, in UTF-16 code units. */
const CELL_LENGTH = 32_767;

/** End of a cut text. A manifest with such a cell is refused, because its text is incomplete. */
const CUT_MARK = ' … (cut: a cell of Excel ends here; results.jsonl has all of it)';

/** Cuts a text that is too long for a cell, and marks the cut. */
export function cutForExcel(text: string): string {
  if (text.length <= CELL_LENGTH) return text;
  // Never cuts a surrogate pair in half.
  return text.slice(0, CELL_LENGTH - CUT_MARK.length).replace(/[\ud800-\udbff]$/u, '') + CUT_MARK;
}

/** Whether a text was cut by {@link cutForExcel}. */
export function isCutForExcel(text: string): boolean {
  return text.endsWith(CUT_MARK);
}

/** Formats a cell reference: row 7 (from 1) of column 1 (from 0) is `B7`. */
export function placeInSheet(row: number, column: number): string {
  return `${columnInSheet(column)}${row}`;
}

/** Returns Excel's name of a column, counted from 0: 0 is `A`, 26 is `AA`. */
export function columnInSheet(column: number): string {
  const before = column < 26 ? '' : columnInSheet(Math.floor(column / 26) - 1);
  return before + String.fromCharCode(65 + (column % 26));
}
