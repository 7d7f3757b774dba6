import type { SelectQueryBuilder } from 'kysely';
import { byItself } from '../../contract/actions.ts';
import type { Control } from '../../contract/outcomes.ts';
import type { Failure } from '../../contract/failures.ts';
import { requireBatch, readBatchLine, setBatch } from './read-batches.ts';
import { isFetchedAgain, isUnresolved, isRunning, presentTakeOf } from '../conditions.ts';
import { noteAction } from '../history/actions.ts';
import { updateRow, endingColumns } from '../rows/row-changes.ts';
import type { ChargeRecord } from '../record-types.ts';
import { toCharge, toFallback } from '../records.ts';
import { endReturning } from '../takes/returned.ts';
import { RowInHand } from '../rows/row-in-hand.ts';
import type { Db, Schema, Tx } from '../schema.ts';
import type { ChargesTable } from '../tables/charges.ts';
import type { RowsTable } from '../tables/rows.ts';
import { write } from '../database/transactions.ts';
import { undoTake } from '../takes/undo-take.ts';

/** Max rows ended per transaction, because other writers wait for its lock. */
const MOST_ROWS = 1_000;

/**
 * Ends as `cancelled` the open rows without an attempt in flight or in doubt and without an unfinished job; after
 * {@link stopNow}, also ends rows with such a job as `overdue`. Works in chunks; returns the number of ended rows.
 */
export async function cancelRest(db: Db, batch: string): Promise<number> {
  const { stop_now } = await readBatchLine(db, batch);
  let ended = 0;
  for (let more = stop_now === 1; more;) {
    const dropped = await write(db, (tx) => endRunning(tx, batch));
    ended += dropped;
    more = dropped === MOST_ROWS;
  }
  for (let after: number | undefined = 0; after !== undefined;) {
    const from: number = after;
    const page = await write(db, (tx) => cancelIdle(tx, batch, from));
    ended += page.ended;
    after = page.next;
  }
  return ended;
}

/**
 * Stops at once: like `stopping`, but does not wait for running jobs. Their rows end `overdue` with their job ids,
 * unsent rows `cancelled`; only requests in flight stay open until their verdict. Returns the resulting control.
 *
 * From the first transaction on nothing more is sent; if the process ends before the last, `cancelRest` continues.
 */
export async function stopNow(db: Db, batch: string, by = byItself(null)): Promise<Control> {
  const control = await write(db, async (tx) => {
    const found = await requireBatch(tx, batch);
    if (found.state === 'closed') return found.control;
    const { stop_now: wasNow } = await readBatchLine(tx, batch);
    await setBatch(tx, batch, { control: 'stopping', stop_now: 1 });
    if (wasNow === 0) await noteAction(tx, by, { kind: 'stop', batch, details: { isNow: true } });
    return undefined;
  });
  if (control !== undefined) return control;
  await cancelRest(db, batch);
  return 'stopping';
}

/** The batch's accepted attempts whose jobs may still run; only the latest attempt of each step counts. */
export async function runningJobs(db: Db | Tx, batch: string): Promise<readonly ChargeRecord[]> {
  const lines = await latest(db, batch).selectAll('c').where(isRunning('c')).orderBy('c.row').execute();
  return lines.map(toCharge);
}

/**
 * Ends as `cancelled` the next open rows with nothing in flight, nothing in doubt and no unfinished job. Rows that were
 * open only to replace such a request or job return to their earlier outcome. Returns the number of ended rows, and the
 * row to continue after.
 */
export async function cancelIdle(
  tx: Tx,
  batch: string,
  after = 0,
): Promise<{ readonly ended: number; readonly next: number | undefined }> {
  const open = await tx
    .selectFrom('rows')
    .select(['batch', 'row', 'kind', 'take', 'fallback'])
    .where('batch', '=', batch)
    .where('outcome', 'is', null)
    // A row in parts ends with the last of them.
    .where('parts', 'is', null)
    .where('row', '>', after)
    .orderBy('row')
    .limit(MOST_ROWS)
    .execute();
  const last = open.at(-1)?.row;
  if (last === undefined) return { ended: 0, next: undefined };
  // Each query uses an index that holds only unfinished work.
  const underWay = latest(tx, batch).select('c.row').where('c.row', '>', after).where('c.row', '<=', last);
  const unresolved = await underWay.where(isUnresolved('c')).execute();
  const running = await underWay.where(isRunning('c')).execute();
  const busy = new Set([...unresolved, ...running].map(({ row }) => row));
  const now = tx.now();
  const ending = { outcome: 'cancelled', failure: null, updated_at: now, ended_at: now } as const;
  const idle = open.filter(({ row }) => !busy.has(row));
  for (const line of idle) {
    const undone = await undoTake(tx, line);
    const before = undone?.ending ?? toFallback(line.fallback)?.ending;
    const end = before === undefined ? ending : endingColumns(before, now);
    await updateRow(tx, line, { ...end, ...undone?.columns });
  }
  return { ended: idle.length, next: open.length < MOST_ROWS ? undefined : last };
}

/**
 * Ends the next open rows with running jobs as `overdue`: they were paid for, and waiting for them can resume for free.
 * Rows whose job is read for an earlier take return to their earlier outcome. Returns the number of ended rows; if it
 * equals the transaction limit, there may be more.
 */
export async function endRunning(tx: Tx, batch: string): Promise<number> {
  const jobs = await latest(tx, batch)
    .select(['c.row', 'c.job_id', 'r.fallback'])
    .where(isRunning('c'))
    .where('r.outcome', 'is', null)
    .orderBy('c.row')
    .limit(MOST_ROWS)
    .execute();
  for (const { row, job_id: jobId, fallback } of jobs) {
    if (toFallback(fallback)?.returning !== undefined) {
      await endReturning(await RowInHand.take(tx, { batch, row }));
      continue;
    }
    const message =
      `The batch was stopped while job ${jobId ?? '(without an id)'} was running; it was accepted and may have been charged. ` +
      'Its result can still be fetched, free.';
    const failure: Failure = { class: 'Overdue', message };
    const now = tx.now();
    await updateRow(tx, { batch, row }, { outcome: 'overdue', failure, updated_at: now, ended_at: now });
  }
  return jobs.length;
}

/**
 * The latest attempt of each step in each row's current take: nobody waits for the jobs of earlier takes. Also includes
 * attempts in flight, whatever their take, and jobs read again for a lost file.
 */
function latest(
  db: Db | Tx,
  batch: string,
): SelectQueryBuilder<Schema & { c: ChargesTable; r: RowsTable }, 'c' | 'r', object> {
  return db
    .selectFrom('charges as c')
    .innerJoin('rows as r', (join) => join.onRef('r.batch', '=', 'c.batch').onRef('r.row', '=', 'c.row'))
    .where('c.batch', '=', batch)
    .where((eb) => eb.or([eb('c.state', '=', 'sending'), eb('c.take', '=', presentTakeOf('r')), isFetchedAgain('c')]))
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
