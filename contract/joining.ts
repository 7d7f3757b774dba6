import { parsePositive } from './value-kinds.ts';

/** How rows are put together into one file for each value of a column. */
export interface Joining {
  /** Input column, as the manifest names it. Rows with an empty cell there are in no such file. */
  readonly column: string;
  /** Silence after a row without a `pause` of its own, in seconds. */
  readonly pause: number;
}

/** Column with the silence after a row, in seconds. */
export const PAUSE_COLUMN = 'pause';
/** Column with the title of the chapter that begins with a row. */
export const TITLE_COLUMN = 'title';
/** Columns that mean something where rows are joined. */
export const JOINING_COLUMNS: readonly string[] = [PAUSE_COLUMN, TITLE_COLUMN];

/** Longest silence after a row, in seconds. */
const MOST_PAUSE = 600;
export const PAUSE_FORM = `seconds from 0 to ${MOST_PAUSE}, such as 0.5`;

/** Reads the length of a pause, in seconds; undefined if it is none. */
export function parsePause(text: string): number | undefined {
  const seconds = /^0+(\.0*)?$/.test(text.trim()) ? 0 : parsePositive(text);
  return seconds !== undefined && seconds <= MOST_PAUSE ? seconds : undefined;
}
