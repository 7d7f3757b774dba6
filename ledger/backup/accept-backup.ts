import type { By } from '../../contract/actions.ts';
import { openSide } from '../copy/open-side.ts';
import { readLedgerFacts } from '../copy/read-only.ts';
import { acceptIn, type PausedOnCopy } from '../database/accept-copy.ts';
import { withClock } from '../database/transactions.ts';

/**
 * Opens a ledger that is a restored backup, and accepts it in one transaction: before that nobody can write to it,
 * after that all batches wait for a person (see `acceptCopy`). Returns what was paused; undefined if another process
 * has accepted it meanwhile. Throws `LedgerUnreachable`.
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
