import type { Compilable } from 'kysely';
import type { ClaimRequest } from '../contract/activities.ts';
import type { RowStanding } from './record-types.ts';
import { readRows } from './rows.ts';
import { write, type Db, type Tx } from './schema.ts';

/** Rows of one claim that need no send, at most, where the lane has no room. */
const MOST_BEYOND_ROOM = 50;

/**
 * Gives a lane its next rows. A claim is remembered on its rows, so the same claim made again (an activity that was retried)
 * gets the same rows, also those that ended since. Rows that an earlier run held are free: that run is gone.
 *
 * Rows with something under way come first, and also where the lane has no room (`limit` 0): their jobs run and were paid for, and
 * requests without a verdict hold the places on the wire that all others wait for. With them the window is full for new ones.
 */
export async function claimRows(
  db: Db,
  request: ClaimRequest,
): Promise<{ rows: readonly RowStanding[]; exhausted: boolean }> {
  const { batch, run, limit } = request;
  const claim = `${request.lane}:${request.claim}`;
  return write(db, async (tx) => {
    const before = await tx
      .selectFrom('rows')
      .select('row')
      .where('batch', '=', batch)
      .where('claim_run', '=', run)
      .where('claim', '=', claim)
      .execute();
    if (before.length > 0) {
      const rest = await selectFreeRows(tx, batch, run, 1).execute();
      const numbers = before.map(({ row }) => row);
      return { rows: await readRows(tx, batch, numbers), exhausted: rest.length === 0 };
    }
    const underWay = await rowsUnderWay(tx, batch, run, Math.max(limit, MOST_BEYOND_ROOM));
    // One more than can be taken tells whether any is left.
    const inOrder = await selectFreeRows(tx, batch, run, Math.max(limit, underWay.length) + 1).execute();
    const free = [...new Set([...underWay, ...inOrder.map(({ row }) => row)])];
    const taken = free.slice(0, Math.max(limit, underWay.length));
    if (taken.length > 0) {
      await tx
        .updateTable('rows')
        .set((eb) => ({ claim_run: run, claim, hold: eb('hold', '+', 1) }))
        .where('batch', '=', batch)
        .where('row', 'in', taken)
        .execute();
    }
    return { rows: await readRows(tx, batch, taken), exhausted: free.length <= taken.length };
  });
}

/** Open rows that nobody in this run holds, in manifest order. Exported for the test of its query plan. */
export function selectFreeRows(
  db: Db,
  batch: string,
  run: string,
  limit: number,
): Compilable & { execute(): Promise<{ row: number }[]> } {
  return db
    .selectFrom('rows')
    .select('row')
    .where('batch', '=', batch)
    .where('outcome', 'is', null)
    .where((eb) => eb.or([eb('claim_run', 'is', null), eb('claim_run', '!=', run)]))
    .orderBy('row')
    .limit(limit);
}

/** Free rows with a request without a verdict; or, at the take that they are at, one that is in doubt or a job that runs. */
async function rowsUnderWay(tx: Tx, batch: string, run: string, limit: number): Promise<readonly number[]> {
  const free = tx
    .selectFrom('charges')
    .innerJoin('rows', (join) => join.onRef('rows.batch', '=', 'charges.batch').onRef('rows.row', '=', 'charges.row'))
    .select('rows.row')
    .distinct()
    .where('charges.batch', '=', batch)
    .where('rows.outcome', 'is', null)
    .where((eb) => eb.or([eb('rows.claim_run', 'is', null), eb('rows.claim_run', '!=', run)]))
    .orderBy('rows.row')
    .limit(limit);
  const sending = await free.where('charges.state', '=', 'sending').execute();
  const ofTake = free.whereRef('charges.take', '=', 'rows.take');
  const lost = await ofTake.where('charges.state', '=', 'unknown').execute();
  const running = await ofTake
    .where('charges.state', '=', 'accepted')
    .where('charges.finished_at', 'is', null)
    .execute();
  return [...new Set([...sending, ...lost, ...running].map(({ row }) => row))].slice(0, limit);
}
