import type { By } from '../../contract/actions.ts';
import { openSide } from '../copy/open-side.ts';
import { readLedgerFacts } from '../copy/read-only.ts';
import { acceptIn, type PausedOnCopy } from '../database/accept-copy.ts';
import { withClock } from '../database/transactions.ts';

/**
 * Opens a ledger that is a backup, and takes it for the ledger, in one transaction: before it nobody can write, after
 * it all batches wait for a person. See `acceptCopy`. Undefined if another process has done it meanwhile. Throws
 * `LedgerUnreachable`.
 */
export async function acceptBackup(address: string, by: By): Promise<PausedOnCopy | undefined> {
  const { database, dialect } = await openSide(address);
  try {
    return await database.db.transaction().execute(async (transaction) => {
      const tx = withClock(transaction, database.db);
      if ((await readLedgerFacts(tx)).readOnly?.type !== 'backup') return undefined;
      await dialect.unguard(tx);
      await tx.deleteFrom('facts').where('name', '=', 'backup').execute();
      return acceptIn(tx, by);
    });
  } finally {
    await database.db.destroy();
  }
}
