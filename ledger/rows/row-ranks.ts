import { sql, type RawBuilder } from 'kysely';
import { readSnapshot } from '../database/transactions.ts';
import { type RowRecord, toRow } from './row-records.ts';
import type { Db, Tx } from '../schema.ts';
import { jsonMember } from './json-member.ts';
import { lastRowNumber, SEARCH_MS, WINDOW } from './row-pages.ts';
import { whereFilter, type RowFilter } from './row-filter.ts';

/** What rows can be ranked by, none with an index: quoted price, duration of the result, end time. */
export type RankBy = 'price' | 'length' | 'end';

/** An order of rows by a value. Rows without the value are left out; equal rows are in manifest order. */
export interface RankOrder {
  readonly by: RankBy;
  readonly isLargestFirst: boolean;
}

/** A row, and the value that it is ranked by: credits, seconds, or ms since 1970. */
export interface RankedRow {
  readonly row: number;
  readonly value: number;
}

/** The first rows in an order, among the rows that were compared so far. */
export interface Ranking {
  readonly rows: readonly RankedRow[];
  /** Rows with a larger number are not compared yet; undefined if all are. */
  readonly next: number | undefined;
}

/** Max rows in a ranking: the database sorts no more at a time. */
export const MAX_RANKED = 1_000;

/**
 * Ranks the rows of a batch that a filter selects. Reads all of them, window by window, for at most {@link SEARCH_MS},
 * and then returns what it has so far; `before`: such an answer, to continue with. `after`: rank only rows that come
 * after this one in the order. There is no index, because each row that ends would have to pay for it.
 */
export async function rankRows(
  db: Db,
  batch: string,
  filter: RowFilter,
  order: RankOrder,
  { after, before = { rows: [], next: 0 } }: { readonly after?: RankedRow; readonly before?: Ranking } = {},
): Promise<Ranking> {
  return readSnapshot(db, async (tx) => {
    const last = await lastRowNumber(tx, batch);
    const until = performance.now() + SEARCH_MS;
    let { rows } = before;
    let from = before.next ?? last;
    while (from < last) {
      const worst = rows.length < MAX_RANKED ? undefined : rows.at(-1);
      const more = await rankWindow(tx, batch, filter, order, { from, after, worst });
      rows = merged(rows, more, order);
      from += WINDOW;
      if (performance.now() > until && from < last) return { rows, next: from };
    }
    return { rows, next: undefined };
  });
}

async function rankWindow(
  tx: Tx,
  batch: string,
  filter: RowFilter,
  { by, isLargestFirst }: RankOrder,
  {
    from,
    after,
    worst,
  }: { readonly from: number; readonly after?: RankedRow | undefined; readonly worst?: RankedRow | undefined },
): Promise<readonly RankedRow[]> {
  const value = valueOf(tx, by);
  const beyond = sql.raw(isLargestFirst ? '<' : '>');
  let query = whereFilter(tx, tx.selectFrom('rows'), batch, filter)
    .select(['row', value.as('value')])
    .where('row', '>', from)
    .where('row', '<=', from + WINDOW)
    .where(sql<boolean>`${value} is not null`)
    .orderBy(value, isLargestFirst ? 'desc' : 'asc')
    .orderBy('row')
    .limit(MAX_RANKED);
  if (after !== undefined)
    query = query.where(
      sql<boolean>`(${value} ${beyond} ${after.value} or (${value} = ${after.value} and row > ${after.row}))`,
    );
  // Of rows with the same value, those of an earlier window come first.
  if (worst !== undefined) query = query.where(sql<boolean>`${worst.value} ${beyond} ${value}`);
  return query.execute();
}

function valueOf(tx: Tx, by: RankBy): RawBuilder<number> {
  switch (by) {
    case 'price':
      return sql<number>`rows.quoted`;
    case 'length':
      return sql<number>`cast(${jsonMember(tx, 'file', 'seconds')} as double precision)`;
    case 'end':
      return sql<number>`rows.ended_at`;
  }
}

function merged(rows: readonly RankedRow[], more: readonly RankedRow[], { isLargestFirst }: RankOrder): RankedRow[] {
  const sign = isLargestFirst ? -1 : 1;
  return [...rows, ...more].sort((a, b) => sign * (a.value - b.value) || a.row - b.row).slice(0, MAX_RANKED);
}

/** Reads the rows with these numbers (up to some hundred), in this order. Missing ones are left out. */
export async function rowsNumbered(db: Db, batch: string, numbers: readonly number[]): Promise<readonly RowRecord[]> {
  if (numbers.length === 0) return [];
  const lines = await db
    .selectFrom('rows')
    .selectAll()
    .where('batch', '=', batch)
    .where('row', 'in', numbers)
    .execute();
  const found = new Map(lines.map((line) => [line.row, toRow(line)]));
  return numbers.flatMap((row) => found.get(row) ?? []);
}
