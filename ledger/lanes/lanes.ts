import type { OwnedLane } from '../../policy/lanes/lane-share.ts';
import type { Db, Tx } from '../schema.ts';
import { write } from '../database/transactions.ts';
import type { RowState } from '../../contract/outcomes.ts';

/*
 * Lanes: which worker process works on which share of a batch's rows. A lane has one holder at a time, identified by a
 * fencing token. The next holder raises the token and, in the same transaction, frees every row of the previous one.
 * From then on the previous holder can claim no rows, and record no intents for the rows that it had (each has a new
 * fencing token); its late answers still settle their attempts.
 */

/** A request for a lane. */
export interface LaneRequest {
  readonly batch: string;
  /** From 1. */
  readonly lane: number;
  /** Run id of the batch's workflow. Lanes of an earlier run have ended with it. */
  readonly run: string;
  /** The worker process. */
  readonly owner: string;
}

/** The right to work on a lane, until another process acquires it. */
export interface LaneOwnership {
  readonly batch: string;
  readonly lane: number;
  /** Fencing token of the lane. */
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

/** Whether this holder still owns the lane. */
export async function ownsLane(tx: Tx, { batch, lane, token }: LaneOwnership): Promise<boolean> {
  const found = await tx
    .selectFrom('lanes')
    .select('token')
    .where('batch', '=', batch)
    .where('lane', '=', lane)
    .executeTakeFirst();
  return found?.token === token;
}

/** Returns the lanes of the batch that have an owner. */
export function laneOwners(db: Db, batch: string): Promise<readonly OwnedLane[]> {
  return db
    .selectFrom('lanes')
    .select(['lane', 'owner'])
    .where('batch', '=', batch)
    .where('owner', '!=', NOBODY)
    .execute();
}

/** Frees the open rows of a lane, under new fencing tokens. */
async function freeRows(tx: Tx, batch: string, lane: number): Promise<void> {
  await tx
    .updateTable('rows')
    .set((eb) => ({ lane: null, hold: eb('hold', '+', 1) }))
    .where('batch', '=', batch)
    .where('lane', '=', lane)
    .where('outcome', 'is', null)
    .execute();
}

/** A row, and the fencing token under which its holder has it. */
interface HeldRow {
  readonly batch: string;
  readonly row: number;
  /** Its fencing token. */
  readonly fence: number;
}

/** States of a row with a running or ended job. */
const WITH_JOB: readonly RowState[] = ['processing', 'verifying', 'fetching'];

/**
 * Frees a row whose worker does not do what the row needs next (`worker --only`), under a new fencing token, for a lane
 * whose worker does. No effect if the holder no longer has the row. `isToFetch`: its job has ended, and only its result
 * must be fetched.
 */
export async function handOverRow(db: Db, { batch, row, fence }: HeldRow, isToFetch: boolean): Promise<void> {
  await write(db, async (tx) => {
    const held = tx
      .updateTable('rows')
      .set((eb) => ({ lane: null, hold: eb('hold', '+', 1) }))
      .where('batch', '=', batch)
      .where('row', '=', row)
      .where('hold', '=', fence)
      .where('outcome', 'is', null);
    await (isToFetch ? held.set({ state: 'fetching' }).where('state', 'in', WITH_JOB) : held).execute();
  });
}
