import type { Failure } from '../../contract/failures.ts';
import { toFallback } from '../records.ts';
import { endingColumns, updateRows, type LineChange } from '../rows/row-changes.ts';
import { RowInHand } from '../rows/row-in-hand.ts';
import type { Tx } from '../schema.ts';
import { endReturning } from '../takes/returned.ts';
import { prefetchUndo, undoTake } from '../takes/undo-take.ts';
import { selectIdle, selectRunning } from './unfinished.ts';

/** How rows of a batch end that is being stopped. A page of them takes a few round trips, however many rows it has. */

/** Ends rows of a page; returns how many. */
export type EndRows = (tx: Tx, batch: string, rows: readonly number[]) => Promise<number>;

/**
 * Ends as `cancelled` those of these rows that have nothing under way. Rows that were open only to replace a request in
 * doubt, or a job, return to their earlier outcome.
 */
export const endIdle: EndRows = async (tx, batch, rows) => {
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
export const endRunning: EndRows = async (tx, batch, rows) => {
  const lines = new Map((await selectRunning(tx, keysOf(batch, rows))).map((line) => [line.row, line]));
  const returning = [...lines.values()].filter(({ fallback }) => toFallback(fallback)?.returning !== undefined);
  tx.unit?.together(() => {
    for (const line of returning) for (const asked of RowInHand.prefetch(tx, line)) asked.catch(() => undefined);
  });
  for (const line of returning) await endReturning(await RowInHand.take(tx, line));
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
