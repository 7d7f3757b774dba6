import type { AttemptKey } from '../../contract/batch.ts';
import { RESULT_OUTCOMES } from '../../contract/outcomes.ts';
import type { Failure } from '../../contract/failures.ts';
import { applyEffect } from '../rows/endings.ts';
import { loseFile } from '../takes/lost-files.ts';
import type { ResultFile } from '../records.ts';
import type { RowSnapshot } from '../rows/row-records.ts';
import { RowInTransaction } from '../rows/row-in-transaction.ts';
import { readRows, selectParts } from '../rows/rows.ts';
import type { Db, Tx } from '../schema.ts';
import { write } from '../database/transactions.ts';

/*
 * Ends split rows, whose text is spoken in parts. Such a row is `fetching` once its last part has a result: a worker
 * then claims it and joins the parts' files. It is taken back from that worker if a part changes (`split-rows.ts`).
 */

/** A row whose parts all have results, claimed in order to join them. */
export interface SplitRow extends Pick<AttemptKey, 'batch' | 'row'> {
  /** Its fencing token; raised whenever one of its parts changes. */
  readonly fence: number;
}

/**
 * Ends a split row with the file joined from its parts, or as `failed` because joining failed. No effect if a part has
 * changed since it was claimed. Returns the row.
 */
export async function endSplitRow(
  db: Db,
  whole: SplitRow,
  end: { readonly file: ResultFile } | { readonly failure: Failure },
): Promise<RowSnapshot> {
  return write(db, async (tx) => {
    const { batch, row: number } = whole;
    const row = await loadIfUnchanged(tx, whole);
    if (row !== undefined) {
      const outcome = (await hasPaidPart(tx, whole)) ? ('succeeded' as const) : ('cached' as const);
      await applyEffect(row, 'file' in end ? { outcome, file: end.file } : { outcome: 'failed', ...end });
    }
    const [snapshot] = await readRows(tx, batch, [number]);
    if (snapshot === undefined) throw new Error(`Expected row ${number} of "${batch}", but there is none.`);
    return snapshot;
  });
}

/**
 * Ends a part as `failed` because its stored result is lost, and with it its split row. A redrive can fetch the result
 * again if a job made it. No effect if the split row has changed since it was claimed.
 */
export async function failLostPart(db: Db, whole: SplitRow, part: number, failure: Failure): Promise<void> {
  await write(db, async (tx) => {
    if ((await loadIfUnchanged(tx, whole)) === undefined) return;
    const row = await RowInTransaction.load(tx, { batch: whole.batch, row: part });
    if (row.line.part_of !== whole.row) return;
    await loseFile(row, failure);
  });
}

/** Whether all parts of a split row have results. */
export async function areAllThere(tx: Tx, batch: string, row: number): Promise<boolean> {
  const missing = await selectParts(tx, batch, row)
    .where((eb) => eb.or([eb('outcome', 'is', null), eb('outcome', 'not in', RESULT_OUTCOMES)]))
    .limit(1)
    .executeTakeFirst();
  return missing === undefined;
}

/** Loads the split row; undefined if it has changed since its caller claimed it. */
async function loadIfUnchanged(tx: Tx, whole: SplitRow): Promise<RowInTransaction | undefined> {
  const row = await RowInTransaction.load(tx, whole);
  const { parts, outcome, state, hold } = row.line;
  return parts !== null && outcome === null && state === 'fetching' && hold === whole.fence ? row : undefined;
}

/** Whether any part was paid for: if all its parts were cached, the row is `cached` too. */
async function hasPaidPart(tx: Tx, { batch, row }: SplitRow): Promise<boolean> {
  const paid = await selectParts(tx, batch, row).where('outcome', '<>', 'cached').limit(1).executeTakeFirst();
  return paid !== undefined;
}
