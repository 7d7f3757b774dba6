import type { By } from '../../contract/actions.ts';
import { noteAction } from '../history/actions.ts';
import type { Db } from '../schema.ts';

/**
 * The fact that says in which database a ledger was last written. A database over the network may be replaced behind its
 * address by a copy that lacks the last records: a replica that took over, or a restored backup. Whoever writes compares.
 */
export const DATABASE_FACT = 'database';

/**
 * Takes a copy for the ledger: the next writer puts it on record. Pauses all open batches in the same transaction, so that
 * no worker that waits for it sends anything. Returns them. On a database in a file it only pauses.
 */
export async function acceptCopy(db: Db, by: By): Promise<readonly string[]> {
  // Not as a group of writes, which would be refused.
  return db.transaction().execute(async (transaction) => {
    const tx = Object.assign(transaction, { now: db.now, unit: undefined });
    await tx.deleteFrom('facts').where('name', '=', DATABASE_FACT).execute();
    const paused = await tx
      .updateTable('batches')
      .set({ control: 'paused' })
      .where('state', '!=', 'closed')
      .where('control', '=', 'running')
      .returning('name')
      .execute();
    for (const { name: batch } of paused) await noteAction(tx, by, { kind: 'pause', batch });
    return paused.map(({ name }) => name);
  });
}
