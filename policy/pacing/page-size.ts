/**
 * Page size of long operations that write many rows of the ledger. Each page is a transaction that holds the write
 * lock, so a page should be short, and pages should be few.
 */

/** Rows of the first page: few enough to be quick on a slow server. */
export const FIRST_PAGE_ROWS = 250;
/** Smaller pages are hardly quicker, because round trips take most of the time. */
const MIN_ROWS = 50;
/** Larger pages save hardly anything. */
const MAX_ROWS = 1_000;
/** Target duration of a page, ms. */
const PAGE_MS = 200;

/** Returns the rows of the next page. `rows`: those of the last page; `heldMs`: how long it held the write lock. */
export function nextPageRows(rows: number, heldMs: number): number {
  const onTarget = heldMs <= 0 ? Infinity : Math.floor((rows * PAGE_MS) / heldMs);
  return Math.min(MAX_ROWS, 2 * rows, Math.max(MIN_ROWS, onTarget));
}
