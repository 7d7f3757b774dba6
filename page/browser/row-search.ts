import type { RowLine, RowsAnswer } from '../protocol.ts';
import { ask } from './server.ts';

/** Where a page of rows ended. */
export type Cursor = NonNullable<RowsAnswer['next']>;

/** Rows on a page, as the server sends them. */
const PAGE = 50;

/** A page of rows. The server looks for a limited time; the search goes on as long as somebody waits for it. */
export async function search(
  batch: string,
  asked: Readonly<Record<string, string>>,
  where: Readonly<Record<string, string | number>>,
  signal: AbortSignal,
): Promise<RowsAnswer> {
  let answer = await ask<RowsAnswer>('rows', { batch, ...asked, ...where }, signal);
  while (answer.next !== null && answer.rows.length < PAGE) {
    const { row, id, endedAt } = answer.next;
    const query = { batch, ...asked, afterRow: row, afterId: id, afterEnd: endedAt };
    const more = await ask<RowsAnswer>('rows', query, signal);
    const rows = [...answer.rows, ...more.rows];
    answer = rows.length > PAGE ? { rows: rows.slice(0, PAGE), next: endOf(rows[PAGE - 1]) } : { ...more, rows };
  }
  return answer;
}

function endOf(row: RowLine | undefined): Cursor | null {
  if (row === undefined) return null;
  return { row: row.row, id: row.id, endedAt: row.endedAt === null ? 0 : Date.parse(row.endedAt) };
}
