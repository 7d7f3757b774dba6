import type { Selectable } from 'kysely';
import { byItself } from '../../contract/actions.ts';
import type { Control } from '../../contract/outcomes.ts';
import { FIRST_PAGE_ROWS, nextPageRows } from '../../policy/pacing/page-size.ts';
import { readSnapshot, write } from '../database/transactions.ts';
import { noteAction } from '../history/actions.ts';
import type { Db, Tx } from '../schema.ts';
import type { BatchesTable } from '../tables/batches.ts';
import { requireBatch, readBatchLine } from './read-batches.ts';
import { setBatch } from './set-batch.ts';
import { idleRows, runningRows, type SelectRows, selectIdle, selectRunning } from './unfinished.ts';
import type { Failure } from '../../contract/failures.ts';
import { toFallback } from '../rows/row-effects.ts';
import { endingColumns, updateRows, type LineChange } from '../rows/update-row.ts';
import { RowInTransaction } from '../rows/row-in-transaction.ts';
import { endReturning } from '../takes/returned.ts';
import { prefetchUndo, undoTake } from '../takes/undo-take.ts';

/*
 * Stopping a batch: `setControl` (`change-batches.ts`) or `stopNow` sets its control to `stopping`; the lanes then call
 * `cancelRest` until no row is open.
 */

/**
 * Ends rows of a batch that is being stopped. Rows with no attempt in flight or in doubt and no running job end
 * `cancelled`; after {@link stopNow}, rows with a running job end `overdue`. Returns the number of ended rows.
 */
export async function cancelRest(db: Db, batch: string): Promise<number> {
  const line = await readBatchLine(db, batch);
  let ended = 0;
  for (const sweep of [RUNNING, IDLE]) if (sweep.isDue(line)) ended += await endPages(db, batch, sweep);
  return ended;
}

/** Ends rows of a page, in a few round trips however many they are; returns their number. */
type EndRows = (tx: Tx, batch: string, rows: readonly number[]) => Promise<number>;

/**
 * Ends as `cancelled` those of these rows that are still idle. Rows that were open only to replace a request in doubt,
 * or a job, return to their earlier outcome, and so do rows that have a result of an earlier take.
 */
const endIdle: EndRows = async (tx, batch, rows) => {
  const lines = await selectIdle(tx, keysOf(batch, rows));
  prefetchUndo(tx, lines);
  const now = tx.now();
  const ending = { outcome: 'cancelled', failure: null, updated_at: now, ended_at: now } as const;
  const changes: LineChange[] = [];
  for (const line of lines) {
    const undone = await undoTake(tx, line);
    const before = undone?.ending ?? toFallback(line.fallback)?.ending;
    const end = before === undefined ? ending : endingColumns(before, now);
    changes.push({ line, change: { ...end, ...undone?.columns } });
  }
  await updateRows(tx, changes);
  return lines.length;
};

/**
 * Ends those of these rows whose jobs may still run as `overdue`: they were paid for, and waiting for them can resume
 * for free. Rows whose job is read for an earlier take return to their earlier outcome.
 */
const endRunning: EndRows = async (tx, batch, rows) => {
  const lines = new Map((await selectRunning(tx, keysOf(batch, rows))).map((line) => [line.row, line]));
  const returning = [...lines.values()].filter(({ fallback }) => toFallback(fallback)?.returning !== undefined);
  tx.unit?.collectReads(() => {
    // A read that fails here fails again in `load`, which throws.
    for (const line of returning) for (const read of RowInTransaction.prefetch(tx, line)) read.catch(() => undefined);
  });
  for (const line of returning) await endReturning(await RowInTransaction.load(tx, line));
  const now = tx.now();
  const changes = [...lines.values()]
    .filter((line) => !returning.includes(line))
    .map(({ job_id: jobId, ...line }): LineChange => {
      const message =
        `The batch was stopped while job ${jobId ?? '(without an id)'} was running; it was accepted and may have been charged. ` +
        'Its result can still be fetched, free.';
      const failure: Failure = { class: 'Overdue', message };
      return { line, change: { outcome: 'overdue', failure, updated_at: now, ended_at: now } };
    });
  await updateRows(tx, changes);
  return lines.size;
};

const keysOf = (batch: string, rows: readonly number[]): readonly { readonly batch: string; readonly row: number }[] =>
  rows.map((row) => ({ batch, row }));

/** One kind of rows that a stopping batch ends, and how. */
interface Sweep {
  /** Whether such rows of this batch must end now. */
  readonly isDue: (line: Selectable<BatchesTable>) => boolean;
  readonly select: SelectRows;
  readonly end: EndRows;
}

const isStopping: Sweep['isDue'] = ({ state, control }) => state === 'open' && control === 'stopping';
const IDLE: Sweep = { isDue: isStopping, select: idleRows, end: endIdle };
const RUNNING: Sweep = {
  isDue: (line) => isStopping(line) && line.stop_now === 1,
  select: runningRows,
  end: endRunning,
};

/**
 * Ends rows page by page, so that other writers get their turn. Each page is selected first, without the writers' lock:
 * every lane sweeps a stopping batch, and most find nothing to end. If several find the same rows, the first ends them.
 *
 * The transaction that ends rows checks again whether they must end: after an outage, it may run when others have
 * closed the batch and a person has reopened it.
 */
async function endPages(db: Db, batch: string, { isDue, select, end }: Sweep): Promise<number> {
  let ended = 0;
  let max = FIRST_PAGE_ROWS;
  for (let after = 0; ;) {
    const rows = await readSnapshot(db, (tx) => select(tx, batch, { after, max }));
    const last = rows.at(-1);
    if (last === undefined) return ended;
    /** When the transaction began to run: the wait for its lock does not count. */
    let since = 0;
    const more = await write(
      db,
      async (tx) => {
        since = performance.now();
        return isDue(await readBatchLine(tx, batch)) ? end(tx, batch, rows) : undefined;
      },
      (tx) => [readBatchLine(tx, batch)],
    );
    if (more === undefined) return ended;
    ended += more;
    max = nextPageRows(max, performance.now() - since);
    after = last;
  }
}

/**
 * Ends the first page of rows in the transaction that stops the batch; {@link cancelRest} ends the others. `isNow`:
 * also rows with a running job.
 */
export async function cancelFirst(tx: Tx, batch: string, isNow: boolean): Promise<void> {
  const page = { after: 0, max: FIRST_PAGE_ROWS };
  await endIdle(tx, batch, await idleRows(tx, batch, page));
  if (isNow) await endRunning(tx, batch, await runningRows(tx, batch, page));
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
