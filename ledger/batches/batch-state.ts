import type { Tx } from '../schema.ts';

/** Opens a closed batch again, because a row of it is open. */
export async function reopenClosed(tx: Tx, batch: string): Promise<void> {
  await tx
    .updateTable('batches')
    .set({ state: 'open', closed_at: null, stop_now: 0 })
    .where('name', '=', batch)
    .where('state', '=', 'closed')
    .execute();
}
