import { readSnapshot } from '../database/transactions.ts';
import { type RowRecord, toRow } from '../rows/row-records.ts';
import type { Db, Tx } from '../schema.ts';
import { matching, ofPrefix, type RowFilter } from './row-filter.ts';

/** Which rows, and in which order. */
export interface RowChoice extends RowFilter {
  /**
   * The rows that ended last come first, and open rows are left out. Only with no other condition than `outcome`.
   * Default: manifest order, or by their ids if those are looked for.
   */
  readonly isNewestFirst?: boolean;
}

/** Where a page of rows ended. */
export interface RowCursor {
  readonly row: number;
  readonly id: string;
  /** ms; 0 unless the newest come first. */
  readonly endedAt: number;
}

export interface RowPage {
  readonly rows: readonly RowRecord[];
  /**
   * Where the next page begins; undefined on the last page. A page may have few rows, or none, and still not be the
   * last.
   */
  readonly next: RowCursor | undefined;
}

/** Rows of the manifest on a page. */
const MOST = 100;
/** Row numbers that a search without an index goes through at once, and how long it goes on, ms. */
export const WINDOW = 50_000;
export const SEARCH_MS = 500;

/**
 * One page of the rows that a person looks for: a place in an order that has an index, so that it costs the same
 * anywhere in a batch. What has no index is searched for a limited time, and the answer says from where to go on.
 */
export async function rowPage(
  db: Db,
  batch: string,
  filter: RowChoice,
  after?: RowCursor,
  most = MOST,
): Promise<RowPage> {
  const limit = Math.min(most, MOST);
  return readSnapshot(db, async (tx) => {
    if (isSearch(filter)) return search(tx, batch, filter, after, limit);
    const rows = await selectRows(tx, batch, filter, after, limit);
    return { rows, next: rows.length < limit ? undefined : cursorAt(rows) };
  });
}

function cursorAt(rows: readonly RowRecord[]): RowCursor | undefined {
  const last = rows.at(-1);
  return last && { row: last.row, id: last.id, endedAt: last.endedAt ?? 0 };
}

/** Whether rows that do not meet the conditions have to be read, too, and may be many. */
function isSearch({ outcome, text, voice, class: name, cause, message, idPrefix }: RowFilter): boolean {
  // The index of ids knows of no other condition.
  const others = idPrefix === undefined ? [] : [outcome];
  return [text, voice, name, cause, message, ...others].some((wanted) => wanted !== undefined);
}

async function search(
  tx: Tx,
  batch: string,
  filter: RowChoice,
  after: RowCursor | undefined,
  limit: number,
): Promise<RowPage> {
  const next = filter.idPrefix === undefined ? await windowsByRow(tx, batch) : windowsById(tx, batch, filter.idPrefix);
  const until = performance.now() + SEARCH_MS;
  const found: RowRecord[] = [];
  for (let from = after; ;) {
    const upTo = await next(from);
    found.push(...(await selectRows(tx, batch, filter, from, limit - found.length, upTo)));
    if (found.length === limit) return { rows: found, next: cursorAt(found) };
    if (upTo === undefined || performance.now() > until) return { rows: found, next: upTo };
    from = upTo;
  }
}

/** Where the rows end that a search goes through at once; undefined: with the last one. */
type NextWindow = (from: RowCursor | undefined) => Promise<RowCursor | undefined>;

async function windowsByRow(tx: Tx, batch: string): Promise<NextWindow> {
  const last = await lastRowOf(tx, batch);
  return (from) => {
    const row = (from?.row ?? 0) + WINDOW;
    return Promise.resolve(row < last ? { row, id: '', endedAt: 0 } : undefined);
  };
}

function windowsById(tx: Tx, batch: string, idPrefix: string): NextWindow {
  return async (from) => {
    const last = await ofPrefix(tx.selectFrom('rows').select('id').where('batch', '=', batch), idPrefix, from?.id)
      .orderBy('id')
      .offset(WINDOW - 1)
      .limit(1)
      .executeTakeFirst();
    return last && { row: 0, id: last.id, endedAt: 0 };
  };
}

/** The largest number of a row of the batch, 0 without one. */
export async function lastRowOf(tx: Tx, batch: string): Promise<number> {
  const { last } = await tx
    .selectFrom('rows')
    .select(({ fn }) => fn.max<number | null>('row').as('last'))
    .where('batch', '=', batch)
    .executeTakeFirstOrThrow();
  return last ?? 0;
}

async function selectRows(
  tx: Tx,
  batch: string,
  { isNewestFirst = false, idPrefix, ...filter }: RowChoice,
  after: RowCursor | undefined,
  limit: number,
  upTo?: RowCursor,
): Promise<readonly RowRecord[]> {
  let query = matching(tx, tx.selectFrom('rows'), batch, filter).selectAll().limit(limit);
  if (idPrefix !== undefined) {
    query = ofPrefix(query, idPrefix, after?.id).orderBy('id');
    if (upTo !== undefined) query = query.where('id', '<=', upTo.id);
  } else if (isNewestFirst) {
    query = query.where('ended_at', 'is not', null).orderBy('ended_at', 'desc').orderBy('row', 'desc');
    if (after !== undefined)
      query = query
        .where('ended_at', '<=', after.endedAt)
        .where((eb) => eb.or([eb('ended_at', '<', after.endedAt), eb('row', '<', after.row)]));
  } else {
    query = query.where('row', '>', after?.row ?? 0).orderBy('row');
    if (upTo !== undefined) query = query.where('row', '<=', upTo.row);
  }
  return (await query.execute()).map(toRow);
}
