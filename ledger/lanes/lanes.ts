import type { OwnedLane } from '../../policy/lanes/share.ts';
import type { Db, Tx } from '../schema.ts';
import { write } from '../database/transactions.ts';
import type { Compilable } from 'kysely';
import { ROW_STATES, type RowState } from '../../contract/outcomes.ts';
import { isReserved } from '../conditions.ts';
import type { RowStanding } from '../record-types.ts';
import { prepared, preparedOne } from '../database/prepared.ts';
import { readRows } from '../rows/rows.ts';

/**
 * Which process works on which share of a batch. A lane has one holder at a time, identified by a fencing token. The
 * next holder raises the token and, in the same transaction, takes over every row of the previous one. From then on the
 * previous holder can claim no rows and record no intents for the rows it had (each has a new fencing token); its late
 * answers still settle their attempts.
 */

/** A request for a lane. */
export interface LaneRequest {
  readonly batch: string;
  /** From 1. */
  readonly lane: number;
  /** The run of the batch's workflow. Lanes of an earlier run ended with it. */
  readonly run: string;
  /** The worker process. */
  readonly owner: string;
}

/** The right to work on a lane, until another process acquires it. */
export interface LaneOwnership {
  readonly batch: string;
  readonly lane: number;
  readonly token: number;
}

/** Owner of a released lane. */
const NOBODY = '';

/**
 * Acquires a lane, with all its rows, from its current holder. Repeatable: the last caller holds it. Lanes of an
 * earlier run of the workflow are dissolved, and their rows are free.
 */
export async function acquireLane(db: Db, { batch, lane, run, owner }: LaneRequest): Promise<LaneOwnership> {
  return write(db, async (tx) => {
    const lanes = await tx.selectFrom('lanes').select(['lane', 'run', 'token']).where('batch', '=', batch).execute();
    for (const old of lanes) if (old.lane === lane || old.run !== run) await freeRows(tx, batch, old.lane);
    await tx.deleteFrom('lanes').where('batch', '=', batch).where('run', '!=', run).where('lane', '!=', lane).execute();
    const token = 1 + Math.max(0, ...lanes.map((one) => one.token));
    const values = { batch, lane, run, owner, token, taken_at: tx.now() };
    await tx
      .insertInto('lanes')
      .values(values)
      .onConflict((conflict) => conflict.columns(['batch', 'lane']).doUpdateSet(values))
      .execute();
    return { batch, lane, token };
  });
}

/**
 * Releases a lane in an orderly way: its rows are immediately free for the next claim. No effect if another process
 * holds it by now.
 */
export async function releaseLane(db: Db, owned: LaneOwnership): Promise<void> {
  await write(db, async (tx) => {
    if (!(await ownsLane(tx, owned))) return;
    await freeRows(tx, owned.batch, owned.lane);
    // The line stays, so that tokens never restart: an old one might become valid again.
    await tx
      .updateTable('lanes')
      .set({ owner: NOBODY, token: owned.token + 1 })
      .where('batch', '=', owned.batch)
      .where('lane', '=', owned.lane)
      .execute();
  });
}

/** True if this holder still owns the lane. */
export async function ownsLane(tx: Tx, { batch, lane, token }: LaneOwnership): Promise<boolean> {
  const found = await tx
    .selectFrom('lanes')
    .select('token')
    .where('batch', '=', batch)
    .where('lane', '=', lane)
    .executeTakeFirst();
  return found?.token === token;
}

/** The lanes of the batch that have an owner. */
export function laneOwners(db: Db, batch: string): Promise<readonly OwnedLane[]> {
  return db
    .selectFrom('lanes')
    .select(['lane', 'owner'])
    .where('batch', '=', batch)
    .where('owner', '!=', NOBODY)
    .execute();
}

async function freeRows(tx: Tx, batch: string, lane: number): Promise<void> {
  await tx
    .updateTable('rows')
    .set((eb) => ({ lane: null, hold: eb('hold', '+', 1) }))
    .where('batch', '=', batch)
    .where('lane', '=', lane)
    .where('outcome', 'is', null)
    .execute();
}

/** A lane's request for rows. */
export interface ClaimRequest extends LaneOwnership {
  /** Max rows to send. Rows with an open request or job come on top. */
  readonly limit: number;
  /** Max rows that already have a budget reservation; they come first, even beyond `limit`. Default: `limit`. */
  readonly begun?: number;
}

export interface Claim {
  readonly rows: readonly RowStanding[];
  /** True if no free row is left, as of this claim. */
  readonly exhausted: boolean;
  /** Rows that are not free yet because their voice is not ready. */
  readonly blocked: number;
}

/** Max rows under way per claim; the next claim brings the rest. */
const MOST_UNDER_WAY = 200;
/** States of a row with an open request or job. */
const UNDER_WAY = ROW_STATES.filter((state) => state !== 'waiting' && state !== 'blocked');

/**
 * Claims the next free rows for a lane, in manifest order, each under a new fencing token, so that an earlier holder
 * can record no intent for them. `lost`: another process holds the lane by now; nothing was claimed.
 *
 * Rows under way come first, even if the lane has no room (`limit` 0): their jobs are paid for, and requests without a
 * verdict use up the in-flight limit that all others wait for. Rows with reserved budget come next, because others may
 * be waiting for that budget to be released.
 */
export async function claimRows(db: Db, request: ClaimRequest): Promise<Claim | 'lost'> {
  const { batch, lane, limit, begun: mostReserved = limit } = request;
  return write(db, async (tx) => {
    if (!(await ownsLane(tx, request))) return 'lost';
    // Select one extra to see whether any are left.
    const underWay = await selectFreeRows(tx, batch, UNDER_WAY, MOST_UNDER_WAY + 1).execute();
    const reserved = (await selectReserved(tx, { batch, limit: mostReserved })).map(({ row }) => row);
    const most = Math.max(limit, reserved.length);
    const waiting = await selectFreeRows(tx, batch, ['waiting'], most + 1).execute();
    const others = waiting.map(({ row }) => row).filter((row) => !reserved.includes(row));
    const fresh = others.slice(0, most - reserved.length);
    const rows = [...underWay.slice(0, MOST_UNDER_WAY).map(({ row }) => row), ...reserved, ...fresh];
    const exhausted = underWay.length <= MOST_UNDER_WAY && others.length === fresh.length;
    const blocked = await countBlocked(tx, batch);
    if (rows.length === 0) return { rows: [], exhausted, blocked };
    await tx
      .updateTable('rows')
      .set((eb) => ({ lane, hold: eb('hold', '+', 1) }))
      .where('batch', '=', batch)
      .where('row', 'in', rows)
      .execute();
    const isFresh = ({ row: { row } }: RowStanding): boolean => fresh.includes(row);
    const standings = await readRows(tx, batch, rows);
    const begunFirst = standings.toSorted((one, other) => Number(isFresh(one)) - Number(isFresh(other)));
    return { rows: begunFirst, exhausted, blocked };
  });
}

/**
 * Open rows in these states that belong to no lane; in manifest order within a state. Exported for its query-plan test.
 */
export function selectFreeRows(
  db: Db,
  batch: string,
  states: readonly RowState[],
  limit: number,
): Compilable & { execute(): Promise<{ row: number }[]> } {
  return db
    .selectFrom('rows')
    .select('row')
    .where('batch', '=', batch)
    .where('outcome', 'is', null)
    .where('lane', 'is', null)
    .where('state', 'in', states)
    .orderBy('state')
    .orderBy('row')
    .limit(limit);
}

/** Exported for the test of its query plan. */
export const selectReserved = prepared((db, { batch, limit }: { batch: string; limit: number }) =>
  db.selectFrom('rows').select('row').where('batch', '=', batch).where(isReserved('rows')).orderBy('row').limit(limit),
);

const selectBlocked = preparedOne((db, { batch }: { batch: string }) =>
  db
    .selectFrom('row_counts')
    .select((eb) => eb.fn.sum<number | null>('n').as('n'))
    .where('batch', '=', batch)
    .where('standing', '=', 'blocked'),
);

/** From the counts that are kept. */
async function countBlocked(tx: Tx, batch: string): Promise<number> {
  const count = await selectBlocked(tx, { batch });
  return count?.n ?? 0;
}
