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
 * Fetches a page of rows. The server searches for a limited time and may send a part of a page; this asks on until the
 * page is full, the rows end, or `signal` aborts.
 */
export async function loadPage(
  batch: string,
  filters: Readonly<Record<string, string>>,
  from: Cursor | undefined,
  signal: AbortSignal,
): Promise<RowsAnswer> {
  let answer = await fetchAnswer<RowsAnswer>('rows', { batch, ...filters, ...cursorQuery(from) }, signal);
  while (answer.next !== null && answer.rows.length < ROWS_PER_PAGE) {
    const more = await fetchAnswer<RowsAnswer>('rows', { batch, ...filters, ...cursorQuery(answer.next) }, signal);
    const rows = [...answer.rows, ...more.rows];
    answer =
      rows.length > ROWS_PER_PAGE
        ? { rows: rows.slice(0, ROWS_PER_PAGE), next: cursorAfter(rows[ROWS_PER_PAGE - 1]) }
        : { ...more, rows };
  }
  return answer;
}

/**
 * Returns the cursor of the page after this row. Only orders with an index are sent in parts of pages: their cursors
 * have no `value`.
 */
function cursorAfter(row: RowLine | undefined): Cursor | null {
  if (row === undefined) return null;
  return { row: row.row, id: row.id, endedAt: row.endedAt === null ? 0 : Date.parse(row.endedAt), value: null };
}
