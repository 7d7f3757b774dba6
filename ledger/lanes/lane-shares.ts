import { fairShare, rowsToReturn } from '../../policy/lanes/lane-share.ts';
import type { Db, Tx } from '../schema.ts';
import { write } from '../database/transactions.ts';
import { ownsLane, type LaneOwnership } from './lanes.ts';
import type { RowState } from '../../contract/outcomes.ts';
import { prepared } from '../database/prepared.ts';

/*
 * Distributes the unsent rows of a batch among its lanes. While many are free, each lane claims as many as it needs.
 * The last ones are divided equally: otherwise the first lane would hold all rows of a small batch, or the rest of a
 * large one, and other workers would have none.
 */

/** Returns how many new rows a lane may claim now: up to `limit`, and no more than its share of the unsent rows. */
export async function roomInShare(
  tx: Tx,
  { batch, lane }: LaneOwnership,
  { limit, workers }: { readonly limit: number; readonly workers: number },
): Promise<number> {
  if (workers < 2 || limit === 0) return limit;
  const enough = workers * limit;
  const free = (await selectFreeRows(tx, { batch, state: 'waiting', limit: enough })).length;
  if (free === enough) return limit;
  const held = await heldUnsent(tx, batch);
  const share = fairShare(free + sum(held), workers);
  return Math.max(0, Math.min(limit, share - (held.get(lane) ?? 0)));
}

/** A row that its lane no longer holds. */
export interface HandedBack {
  readonly row: number;
  /** Its new fencing token; whoever has an older one does not hold it. */
  readonly fence: number;
}

/**
 * If no row is free, frees the rows that a lane holds beyond its share of the unsent rows, the last ones first, for
 * other lanes. Returns these rows.
 */
export async function handBackRows(db: Db, owned: LaneOwnership, workers: number): Promise<readonly HandedBack[]> {
  const { batch, lane } = owned;
  return write(db, async (tx) => {
    if (!(await ownsLane(tx, owned))) return [];
    if ((await selectFreeRows(tx, { batch, state: 'waiting', limit: 1 })).length > 0) return [];
    const held = await heldUnsent(tx, batch);
    const extra = rowsToReturn(held.get(lane) ?? 0, fairShare(sum(held), workers));
    if (extra === 0) return [];
    const lines = await selectUnsent(tx, batch)
      .select(['row', 'hold'])
      .where('lane', '=', lane)
      // A row that has begun holds budget that others may wait for.
      .where('promised', '=', 0)
      .orderBy('row', 'desc')
      .limit(extra)
      .execute();
    if (lines.length === 0) return [];
    await tx
      .updateTable('rows')
      .set((eb) => ({ lane: null, hold: eb('hold', '+', 1) }))
      .where('batch', '=', batch)
      .where(
        'row',
        'in',
        lines.map(({ row }) => row),
      )
      .execute();
    return lines.map(({ row, hold }) => ({ row, fence: hold + 1 }));
  });
}

/** Returns the number of unsent rows that each lane of the batch holds. */
async function heldUnsent(tx: Tx, batch: string): Promise<ReadonlyMap<number | null, number>> {
  const lines = await selectUnsent(tx, batch)
    .select((eb) => ['lane', eb.fn.countAll<number>().as('rows')])
    .groupBy('lane')
    .execute();
  return new Map(lines.map(({ lane, rows }) => [lane, rows]));
}

/** Selects rows that lanes hold and that have no open request or job. */
function selectUnsent(tx: Tx, batch: string) {
  return tx
    .selectFrom('rows')
    .where('batch', '=', batch)
    .where('outcome', 'is', null)
    .where('lane', 'is not', null)
    .where('state', '=', 'waiting');
}

function sum(held: ReadonlyMap<unknown, number>): number {
  return [...held.values()].reduce((all, rows) => all + rows, 0);
}

/**
 * Selects open rows in this state that no lane holds, in manifest order. All writers wait meanwhile, so it must read
 * only these rows, from the index `rows_free`.
 *
 * PostgreSQL has one plan for all states. If most rows are in one state, it considers every state as common, and would
 * scan the whole batch by row number. A range of states (`between`) and the order by state force the use of the index.
 */
export const selectFreeRows = prepared(
  (db, { batch, state, limit }: { readonly batch: string; readonly state: RowState; readonly limit: number }) =>
    db
      .selectFrom('rows')
      .select('row')
      .where('batch', '=', batch)
      .where('outcome', 'is', null)
      .where('lane', 'is', null)
      .where((eb) => eb.between('state', state, state))
      .orderBy('state')
      .orderBy('row')
      .limit(limit),
);
