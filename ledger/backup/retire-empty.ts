import { requireEmpty } from '../copy/begun-copy.ts';
import type { CopyFacts } from '../copy/read-only.ts';
import { CopyRefused } from '../copy/copy-refused.ts';
import { markReadOnly } from '../copy/mark-side.ts';
import { openSide } from '../copy/open-side.ts';
import { withClock } from '../database/transactions.ts';
import { LedgerTooNew, LedgerUnreachable } from '../errors.ts';

/**
 * Whether nothing was ever recorded in a ledger: one that a command made before it saw that it belongs to nothing here.
 * With `retired`, it takes no writes from then on, also of processes that have it open. False for one that cannot be
 * read.
 */
export async function isEmptyLedger(address: string, retired?: CopyFacts): Promise<boolean> {
  try {
    const { database, dialect } = await openSide(address);
    try {
      await database.db.transaction().execute(async (transaction) => {
        const tx = withClock(transaction, database.db);
        await requireEmpty(tx);
        // Killed after this before, it is marked already.
        if (retired !== undefined && database.readOnly === undefined) await markReadOnly(tx, dialect, 'moved', retired);
      });
      return true;
    } finally {
      await database.db.destroy();
    }
  } catch (error) {
    if ([CopyRefused, LedgerUnreachable, LedgerTooNew].some((kind) => error instanceof kind)) return false;
    throw error;
  }
}
