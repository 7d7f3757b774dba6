import { readSnapshot } from '../database/transactions.ts';
import { type RowRecord, toRow } from './row-records.ts';
import type { Db, Tx } from '../schema.ts';
import { isSearch, whereFilter, whereIdStartsWith, type RowFilter } from './row-filter.ts';

/** Which rows to read, and in which order. */
export interface RowChoice extends RowFilter {
  /**
   * Order by end time, newest first, without open rows. Only allowed with no condition except `outcome`. Default:
   * manifest order; order of ids with `idPrefix`.
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

/** One page of rows. */
export interface RowPage {
  readonly rows: readonly RowRecord[];
  /**
   * Where the next page begins; undefined on the last page. A page may have fewer rows than asked for, or none, and
   * still not be the last.
   */
  readonly next: RowCursor | undefined;
}

/** Max rows on a page. */
const MAX_ROWS = 100;
/** Rows that one query of a search without an index goes through. */
export const WINDOW = 50_000;
/** Max duration of such a search, ms: it then ends, and its answer says where to continue. */
export const SEARCH_MS = 500;

/**
 * Reads one page of the rows that a filter selects, after a cursor. Pages follow the order of an index, so a page costs
 * the same anywhere in a batch. Conditions without an index are searched for at most {@link SEARCH_MS}; the answer then
 * says where to continue.
 */
export async function rowPage(
  db: Db,
  batch: string,
  filter: RowChoice,
  after?: RowCursor,
  most = MAX_ROWS,
): Promise<RowPage> {
  const limit = Math.min(most, MAX_ROWS);
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

/** Returns where the window that begins at `from` ends; undefined if it contains the last row. */
type NextWindow = (from: RowCursor | undefined) => Promise<RowCursor | undefined>;

async function windowsByRow(tx: Tx, batch: string): Promise<NextWindow> {
  const last = await lastRowNumber(tx, batch);
  return (from) => {
    const row = (from?.row ?? 0) + WINDOW;
    return Promise.resolve(row < last ? { row, id: '', endedAt: 0 } : undefined);
  };
}

function windowsById(tx: Tx, batch: string, idPrefix: string): NextWindow {
  return async (from) => {
    const last = await whereIdStartsWith(
      tx.selectFrom('rows').select('id').where('batch', '=', batch),
      idPrefix,
      from?.id,
    )
      .orderBy('id')
      .offset(WINDOW - 1)
      .limit(1)
      .executeTakeFirst();
    return last && { row: 0, id: last.id, endedAt: 0 };
  };
}

/** The largest row number of the batch, parts included; 0 if it has no rows. */
export async function lastRowNumber(tx: Tx, batch: string): Promise<number> {
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
  let query = whereFilter(tx, tx.selectFrom('rows'), batch, filter).selectAll().limit(limit);
  if (idPrefix !== undefined) {
    query = whereIdStartsWith(query, idPrefix, after?.id).orderBy('id');
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
