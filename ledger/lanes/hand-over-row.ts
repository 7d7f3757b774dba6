import type { RowState } from '../../contract/outcomes.ts';
import { write } from '../database/transactions.ts';
import type { Db } from '../schema.ts';

/** A row as its holder knows it. */
export interface HeldRow {
  readonly batch: string;
  readonly row: number;
  /** Its fencing token. */
  readonly fence: number;
}

/** States of a row whose job runs or has ended. */
const WITH_JOB: readonly RowState[] = ['processing', 'verifying', 'fetching'];

/**
 * Takes a row from its lane, whose worker does not do what the row needs next (`worker --only`), under a new fencing
 * token: the next claim of a lane that does takes it. No effect if the holder no longer has it. `isToFetch`: its job has
 * ended, and only its result is missing.
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
