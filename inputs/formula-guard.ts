import { escapeControls, unescapeControls } from '../contract/control-characters.ts';

/**
 * Guards cells that a spreadsheet would execute. A cell that starts with `=`, `+`, `-`, `@`, TAB or CR is taken for a
 * formula by spreadsheets (OWASP, "CSV Injection"). In files meant for people we put an apostrophe in front of such a
 * cell, and remove it when the file is read as a manifest. A cell that already has apostrophes in front of a formula
 * gets one more, so that the two functions are exact inverses for every text. Control characters, which could steer the
 * terminal that shows the file, are escaped likewise.
 */

const NEEDS_GUARD = /^'*[=+\-@\t\r]/;
const IS_GUARDED = /^'+[=+\-@\t\r]/;

/** Whether {@link unguardCell} would take an apostrophe off. */
export function isGuarded(cell: string): boolean {
  return IS_GUARDED.test(cell);
}

/** Returns the cell as it is written to a CSV file: harmless in a spreadsheet and on a terminal. */
export function guardCell(cell: string): string {
  const shown = escapeControls(cell);
  return NEEDS_GUARD.test(shown) ? `'${shown}` : shown;
}

/**
 * Returns the cell as it was before {@link guardCell}. A cell typed by hand stays as it is, unless it looks guarded or
 * escaped.
 */
export function unguardCell(cell: string): string {
  return unescapeControls(isGuarded(cell) ? cell.slice(1) : cell);
}
