/** Rows of a sheet, its header included. */
export const EXCEL_ROWS = 1_048_576;

/** Characters of a cell, as UTF-16 counts them. */
const CELL_LENGTH = 32_767;

/** End of a text that was cut. A manifest with such a cell is refused: its text would be another. */
const CUT_MARK = ' … (cut: a cell of Excel ends here; results.jsonl has all of it)';

/** A text as far as a cell holds it. */
export function cutForExcel(text: string): string {
  if (text.length <= CELL_LENGTH) return text;
  // Not in the middle of a character.
  return text.slice(0, CELL_LENGTH - CUT_MARK.length).replace(/[\ud800-\udbff]$/u, '') + CUT_MARK;
}

/** Whether {@link cutForExcel} has cut it. */
export function isCutForExcel(text: string): boolean {
  return text.endsWith(CUT_MARK);
}

/** A place as Excel writes it: row 7 of column 1, counted from 0, is `B7`. */
export function placeInSheet(row: number, column: number): string {
  return `${columnInSheet(column)}${row}`;
}

/** A column as Excel names it: 0 is `A`. */
export function columnInSheet(column: number): string {
  const before = column < 26 ? '' : columnInSheet(Math.floor(column / 26) - 1);
  return before + String.fromCharCode(65 + (column % 26));
}
