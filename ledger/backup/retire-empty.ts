import { requireEmpty } from '../copy/begun-copy.ts';
import type { CopyFacts } from '../copy/read-only.ts';
import { CopyRefused } from '../copy/copy-refused.ts';
import type { CopySide } from '../copy/copy-side.ts';
import { markReadOnly } from '../copy/mark-side.ts';
import { openSide } from '../copy/open-side.ts';
import { withClock } from '../database/transactions.ts';
import { LedgerTooNew, LedgerUnreachable } from '../errors.ts';
import type { Tx } from '../schema.ts';

/**
 * Whether nothing was ever recorded in a ledger, such as one made by a command that then found the media of another
 * ledger. False for one that cannot be read.
 */
export async function isEmptyLedger(address: string): Promise<boolean> {
  return isEmpty(address, () => Promise.resolve());
}

/**
 * Makes a ledger read-only if nothing was ever recorded in it: it takes no writes from then on, also of processes that
 * have it open. Returns whether it is; false for one that cannot be read.
 */
export async function retireIfEmpty(address: string, facts: CopyFacts): Promise<boolean> {
  return isEmpty(address, async (tx, { database, dialect }) => {
    // An earlier restore, killed after this step, may have marked it already.
    if (database.readOnly === undefined) await markReadOnly(tx, dialect, 'moved', facts);
  });
}

/** With `act`, in the transaction that saw that it is. */
async function isEmpty(address: string, act: (tx: Tx, side: CopySide) => Promise<void>): Promise<boolean> {
  try {
    const side = await openSide(address);
    const { db } = side.database;
    try {
      await db.transaction().execute(async (transaction) => {
        const tx = withClock(transaction, db);
        await requireEmpty(tx);
        await act(tx, side);
      });
      return true;
    } finally {
      await db.destroy();
    }
  } catch (error) {
    if ([CopyRefused, LedgerUnreachable, LedgerTooNew].some((kind) => error instanceof kind)) return false;
    throw error;
  }
}
