import { ROWS_PER_PAGE, type RowLine, type RowsAnswer } from '../protocol.ts';
import { fetchAnswer } from './api-client.ts';

/** Where a page of rows ended, and the next one begins. */
export type Cursor = NonNullable<RowsAnswer['next']>;

/** Returns the query parameters for the page after `cursor`; none for the first page. */
export function cursorQuery(cursor: Cursor | undefined): Readonly<Record<string, string | number>> {
  if (cursor === undefined) return {};
  const { row: afterRow, id: afterId, endedAt: afterEnd, value } = cursor;
  return { afterRow, afterId, afterEnd, ...(value !== null && { afterValue: value }) };
}

/**
 * Fetches a page of rows. The server searches for a limited time and may send a part of a page; this asks for the rest
 * until the page is full, the rows end, or `signal` aborts.
 */
export async function loadPage(
  batch: string,
  filters: Readonly<Record<string, string>>,
  from: Cursor | undefined,
  signal: AbortSignal,
): Promise<RowsAnswer> {
  const rows: RowLine[] = [];
  for (let cursor = from; ;) {
    const limit = ROWS_PER_PAGE - rows.length;
    const query = { batch, ...filters, ...cursorQuery(cursor), limit };
    const { rows: more, next } = await fetchAnswer<RowsAnswer>('rows', query, signal);
    rows.push(...more);
    if (next === null || rows.length >= ROWS_PER_PAGE) return { rows, next };
    cursor = next;
  }
}
