import type { SelectQueryBuilder } from 'kysely';
import type { Control } from '../contract/outcomes.ts';
import type { Failure } from '../contract/failures.ts';
import { requireBatch } from './batches.ts';
import type { ChargeRecord } from './record-types.ts';
import { toCharge } from './records.ts';
import { write, type ChargesTable, type Db, type RowsTable, type Schema, type Tx } from './schema.ts';

/** Ends what a batch that is being stopped no longer works on. See {@link Ledger.cancelRest}. */
export async function cancelRest(db: Db, batch: string): Promise<number> {
  return write(db, async (tx) => {
    const { stop_now } = await tx
      .selectFrom('batches')
      .select('stop_now')
      .where('name', '=', batch)
      .executeTakeFirstOrThrow();
    const dropped = stop_now === 1 ? await endRunning(tx, batch) : 0;
    return dropped + (await cancelIdle(tx, batch));
  });
}

/** See {@link Ledger.stopNow}. */
export async function stopNow(db: Db, name: string): Promise<Control> {
  return write(db, async (tx) => {
    const { state, control } = await requireBatch(tx, name);
    if (state === 'closed') return control;
    await tx.updateTable('batches').set({ control: 'stopping', stop_now: 1 }).where('name', '=', name).execute();
    await endRunning(tx, name);
    await cancelIdle(tx, name);
    return 'stopping';
  });
}

/** Accepted attempts whose jobs have not ended; of each step only the latest counts. */
export async function runningJobs(db: Db | Tx, batch: string): Promise<readonly ChargeRecord[]> {
  const lines = await latest(db, batch)
    .selectAll('c')
    .where('c.state', '=', 'accepted')
    .where('c.finished_at', 'is', null)
    .orderBy('c.row')
    .execute();
  return lines.map(toCharge);
}

/** Ends the open rows that have nothing on the wire, nothing in doubt and no unfinished job as `cancelled`. */
export async function cancelIdle(tx: Tx, batch: string): Promise<number> {
  const busy = latest(tx, batch)
    .select('c.row')
    .where((eb) =>
      eb.or([
        eb('c.state', 'in', ['sending', 'unknown']),
        eb('c.state', '=', 'accepted').and('c.finished_at', 'is', null),
      ]),
    );
  const now = Date.now();
  const { numUpdatedRows } = await tx
    .updateTable('rows')
    .set({ outcome: 'cancelled', failure: null, updated_at: now, ended_at: now })
    .where('batch', '=', batch)
    .where('outcome', 'is', null)
    .where('row', 'not in', busy)
    .executeTakeFirst();
  return Number(numUpdatedRows);
}

/** Ends the open rows whose jobs run as `overdue`: they were paid for and can be waited for again, free. Returns how many. */
export async function endRunning(tx: Tx, batch: string): Promise<number> {
  let ended = 0;
  for (const { row, jobId } of await runningJobs(tx, batch)) {
    const message =
      `The batch was stopped while job ${jobId ?? '(without an id)'} was running; it was accepted and may have been charged. ` +
      'Its result can still be had, free.';
    const failure: Failure = { class: 'Overdue', message };
    const now = Date.now();
    const { numUpdatedRows } = await tx
      .updateTable('rows')
      .set({ outcome: 'overdue', failure: JSON.stringify(failure), updated_at: now, ended_at: now })
      .where('batch', '=', batch)
      .where('row', '=', row)
      .where('outcome', 'is', null)
      .executeTakeFirst();
    ended += Number(numUpdatedRows);
  }
  return ended;
}

/**
 * The latest attempt of each step of each row, of its present take: what an earlier one left behind is no longer waited for. Except
 * what is still on the wire, whatever take it is of.
 */
function latest(
  db: Db | Tx,
  batch: string,
): SelectQueryBuilder<Schema & { c: ChargesTable; r: RowsTable }, 'c' | 'r', object> {
  return db
    .selectFrom('charges as c')
    .innerJoin('rows as r', (join) => join.onRef('r.batch', '=', 'c.batch').onRef('r.row', '=', 'c.row'))
    .where('c.batch', '=', batch)
    .where((eb) => eb.or([eb('c.state', '=', 'sending'), eb('c.take', '=', eb.ref('r.take'))]))
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom('charges as later')
            .select('later.row')
            .whereRef('later.batch', '=', 'c.batch')
            .whereRef('later.row', '=', 'c.row')
            .whereRef('later.step', '=', 'c.step')
            .whereRef('later.take', '=', 'c.take')
            .whereRef('later.attempt', '>', 'c.attempt'),
        ),
      ),
    );
}
