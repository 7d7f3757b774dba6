import { sql } from 'kysely';
import type { Outcome } from '../../contract/outcomes.ts';
import { isNoPart } from '../conditions.ts';
import { look } from '../database/transactions.ts';
import type { RowRecord } from '../record-types.ts';
import { toRow } from '../records.ts';
import type { Db, Tx } from '../schema.ts';

/** Which rows of a batch a person wants to see. All that is given must hold. */
export interface RowFilter {
  /** `open`: rows that have not ended. */
  readonly outcome?: Outcome | 'open';
  /** Failure class and cause, as in {@link StandingCount}. */
  readonly class?: string;
  readonly cause?: string;
  readonly voice?: string;
  /** The beginning of their ids; they come in the order of their ids then. */
  readonly idPrefix?: string;
  /** A text in one of their cells or in their transcript; upper and lower case of ASCII are the same. */
  readonly text?: string;
  /** The rows that ended last come first, and open rows are left out. Only with no other condition than `outcome`. Default: manifest order. */
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
  /** Where the next page begins; undefined on the last page. A page may have few rows, or none, and still not be the last. */
  readonly next: RowCursor | undefined;
}

/** Rows of the manifest on a page. */
const MOST = 100;
/** Row numbers that a search without an index goes through at once, and how long it goes on, ms. */
const WINDOW = 50_000;
const SEARCH_MS = 500;

/**
 * One page of the rows that a person looks for: a place in an order that has an index, so that it costs the same anywhere
 * in a batch. What has no index is searched for a limited time, and the answer says from where to go on.
 */
export async function rowPage(
  db: Db,
  batch: string,
  filter: RowFilter,
  after?: RowCursor,
  most = MOST,
): Promise<RowPage> {
  const limit = Math.min(most, MOST);
  return look(db, async (tx) => {
    if (isSearch(filter)) return search(tx, batch, filter, after?.row ?? 0, limit);
    const rows = await selectRows(tx, batch, filter, after, limit);
    return { rows, next: rows.length < limit ? undefined : cursorAt(rows) };
  });
}

function cursorAt(rows: readonly RowRecord[]): RowCursor | undefined {
  const last = rows.at(-1);
  return last && { row: last.row, id: last.id, endedAt: last.endedAt ?? 0 };
}

/** Whether rows that do not meet the conditions have to be read, too, and may be many. */
function isSearch({ text, voice, class: name, idPrefix }: RowFilter): boolean {
  return idPrefix === undefined && (text !== undefined || voice !== undefined || name !== undefined);
}

async function search(tx: Tx, batch: string, filter: RowFilter, from: number, limit: number): Promise<RowPage> {
  const { last } = await tx
    .selectFrom('rows')
    .select(({ fn }) => fn.max<number | null>('row').as('last'))
    .where('batch', '=', batch)
    .executeTakeFirstOrThrow();
  const until = performance.now() + SEARCH_MS;
  const found: RowRecord[] = [];
  for (let row = from; row < (last ?? 0);) {
    const after = { row, id: '', endedAt: 0 };
    found.push(...(await selectRows(tx, batch, filter, after, limit - found.length, row + WINDOW)));
    if (found.length === limit) return { rows: found, next: cursorAt(found) };
    row += WINDOW;
    if (performance.now() > until && row < (last ?? 0)) return { rows: found, next: { ...after, row } };
  }
  return { rows: found, next: undefined };
}

async function selectRows(
  tx: Tx,
  batch: string,
  { outcome, class: name, cause, voice, idPrefix, text, isNewestFirst = false }: RowFilter,
  after: RowCursor | undefined,
  limit: number,
  upTo?: number,
): Promise<readonly RowRecord[]> {
  let query = tx.selectFrom('rows').selectAll().where('batch', '=', batch).where(isNoPart('rows')).limit(limit);
  if (outcome === 'open') query = query.where('outcome', 'is', null);
  else if (outcome !== undefined) query = query.where('outcome', '=', outcome);
  if (name !== undefined) query = query.where(sql<boolean>`coalesce(failure_class, '') = ${name}`);
  if (cause !== undefined) query = query.where(sql<boolean>`coalesce(failure_cause, '') = ${cause}`);
  if (voice !== undefined) query = query.where('voice', '=', voice);
  if (text !== undefined) {
    const [cell, transcript] = [likeOf(JSON.stringify(text).slice(1, -1)), likeOf(text)];
    query = query.where(
      sql<boolean>`(lower(input) like ${cell} escape '!' or lower(text) like ${transcript} escape '!')`,
    );
  }
  if (upTo !== undefined) query = query.where('row', '<=', upTo);
  if (idPrefix !== undefined) {
    query = query.where('id', '>=', idPrefix).where('id', '<', `${idPrefix}\u{10ffff}`).orderBy('id');
    if (after !== undefined) query = query.where('id', '>', after.id);
  } else if (isNewestFirst) {
    query = query.where('ended_at', 'is not', null).orderBy('ended_at', 'desc').orderBy('row', 'desc');
    if (after !== undefined)
      query = query
        .where('ended_at', '<=', after.endedAt)
        .where((eb) => eb.or([eb('ended_at', '<', after.endedAt), eb('row', '<', after.row)]));
  } else {
    query = query.where('row', '>', after?.row ?? 0).orderBy('row');
  }
  return (await query.execute()).map(toRow);
}

/** A pattern for `like … escape '!'` of what `lower` has made: only ASCII, so that all databases find the same. */
function likeOf(text: string): string {
  return `%${text.replace(/[A-Z]/g, (letter) => letter.toLowerCase()).replace(/[!%_]/g, '!$&')}%`;
}
