/** Rows of the first page, which is to be quick on a slow server, too. */
export const FIRST_PAGE_ROWS = 250;
/** Fewer make a page hardly quicker: over a slow line, its round trips take the time. */
const LEAST = 50;
const MOST = 1_000;
/** How long a page may take, ms: so long, all other writers wait. */
const PAGE_MS = 200;

/**
 * How many rows the next page of a long work may have, after one of so many rows held the writers' lock for so long.
 */
export function nextPageRows(rows: number, heldMs: number): number {
  const fitting = heldMs <= 0 ? Infinity : Math.floor((rows * PAGE_MS) / heldMs);
  return Math.min(MOST, 2 * rows, Math.max(LEAST, fitting));
}
