import type { Compilable } from 'kysely';
import type { ClaimRequest } from '../contract/activities.ts';
import { readRows, type RowWithCharges } from './rows.ts';
import { write, type Db, type Tx } from './schema.ts';

/**
 * Gives a lane its next rows. A claim is remembered on its rows, so the same claim made again (an activity that was retried)
 * gets the same rows, also those that ended since. Rows that an earlier run held are free: that run is gone.
 */
export async function claimRows(
  db: Db,
  request: ClaimRequest,
): Promise<{ rows: readonly RowWithCharges[]; exhausted: boolean }> {
  const { batch, run } = request;
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
      const rest = await freeRows(tx, batch, run, 1);
      return {
        rows: await readRows(
          tx,
          batch,
          before.map(({ row }) => row),
        ),
        exhausted: rest.length === 0,
      };
    }
    // One more than asked for tells whether any is left.
    const free = await freeRows(tx, batch, run, request.limit + 1);
    const taken = free.slice(0, request.limit);
    if (taken.length > 0) {
      await tx
        .updateTable('rows')
        .set({ claim_run: run, claim })
        .where('batch', '=', batch)
        .where('row', 'in', taken)
        .execute();
    }
    return { rows: await readRows(tx, batch, taken), exhausted: free.length <= request.limit };
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

/**
 * Free rows, those first that have a request without a verdict: the run that sent it is gone, and until they are settled they hold
 * the places on the wire that all others wait for.
 */
async function freeRows(tx: Tx, batch: string, run: string, limit: number): Promise<readonly number[]> {
  const urgent = await tx
    .selectFrom('charges')
    .innerJoin('rows', (join) => join.onRef('rows.batch', '=', 'charges.batch').onRef('rows.row', '=', 'charges.row'))
    .select('rows.row')
    .distinct()
    .where('charges.batch', '=', batch)
    .where('charges.state', '=', 'sending')
    .where('rows.outcome', 'is', null)
    .where((eb) => eb.or([eb('rows.claim_run', 'is', null), eb('rows.claim_run', '!=', run)]))
    .orderBy('rows.row')
    .limit(limit)
    .execute();
  const others = await selectFreeRows(tx, batch, run, limit).execute();
  return [...new Set([...urgent, ...others].map(({ row }) => row))].slice(0, limit);
}
