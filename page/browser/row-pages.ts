import type { RowLine, RowsAnswer } from '../protocol.ts';
import { ask } from './server.ts';

/** Where a page of rows ended. */
export type Cursor = NonNullable<RowsAnswer['next']>;

/** The query for the page that begins there; undefined: the first one. */
export function cursorQuery(cursor: Cursor | undefined): Readonly<Record<string, string | number>> {
  if (cursor === undefined) return {};
  const { row: afterRow, id: afterId, endedAt: afterEnd, value } = cursor;
  return { afterRow, afterId, afterEnd, ...(value !== null && { afterValue: value }) };
}

/** Rows on a page, as the server sends them. */
const PAGE = 50;

/** A page of rows. The server looks for a limited time; the search goes on as long as somebody waits for it. */
export async function loadPage(
  batch: string,
  asked: Readonly<Record<string, string>>,
  from: Cursor | undefined,
  signal: AbortSignal,
): Promise<RowsAnswer> {
  let answer = await ask<RowsAnswer>('rows', { batch, ...asked, ...cursorQuery(from) }, signal);
  while (answer.next !== null && answer.rows.length < PAGE) {
    const more = await ask<RowsAnswer>('rows', { batch, ...asked, ...cursorQuery(answer.next) }, signal);
    const rows = [...answer.rows, ...more.rows];
    answer = rows.length > PAGE ? { rows: rows.slice(0, PAGE), next: endOf(rows[PAGE - 1]) } : { ...more, rows };
  }
  return answer;
}

function endOf(row: RowLine | undefined): Cursor | null {
  if (row === undefined) return null;
  return { row: row.row, id: row.id, endedAt: row.endedAt === null ? 0 : Date.parse(row.endedAt), value: null };
}
