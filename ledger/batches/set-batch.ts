import type { Updateable } from 'kysely';
import type { Tx } from '../schema.ts';
import type { BatchesTable } from '../tables/batches.ts';

/** Changes these columns of a batch. */
export async function setBatch(tx: Tx, batch: string, change: Updateable<BatchesTable>): Promise<void> {
  await tx.updateTable('batches').set(change).where('name', '=', batch).execute();
}
