import type { By } from '../../contract/actions.ts';
import { openSide } from '../copy/open-side.ts';
import { readLedgerFacts } from '../copy/read-only.ts';
import { acceptIn, type PausedOnCopy } from '../database/accept-copy.ts';
import { withClock } from '../database/transactions.ts';

/**
 * Opens a ledger that is a restored backup, and accepts it as the ledger to work with (`ledger accept-copy`). Until
 * then the database refuses all writes. The transaction that makes it writable also pauses all open batches and
 * schedules, because requests may have been sent since the backup was made. Returns what was paused; undefined if
 * another process has accepted it meanwhile. Throws `LedgerUnreachable`.
 */
export async function acceptBackup(address: string, by: By): Promise<PausedOnCopy | undefined> {
  const { database, dialect } = await openSide(address);
  try {
    return await database.db.transaction().execute(async (transaction) => {
      const tx = withClock(transaction, database.db);
      if ((await readLedgerFacts(tx)).readOnly?.type !== 'backup') return undefined;
      // Removes the triggers that refuse writes, and the fact that says why they do.
      await dialect.unguard(tx);
      await tx.deleteFrom('facts').where('name', '=', 'backup').execute();
      return acceptIn(tx, by);
    });
  } finally {
    await database.db.destroy();
  }
}
