import { requireEmpty } from '../copy/begun-copy.ts';
import type { CopyFacts } from '../copy/read-only.ts';
import { CopyRefused } from '../copy/copy-refused.ts';
import type { CopySide } from '../copy/copy-side.ts';
import { markReadOnly } from '../copy/mark-read-only.ts';
import { openSide } from '../copy/open-side.ts';
import { withClock } from '../database/transactions.ts';
import { LedgerTooNew, LedgerUnreachable } from '../errors.ts';
import type { Tx } from '../schema.ts';

/*
 * Empty ledgers, over which a restore may put a backup (`client/backup/restore.ts`). A ledger is empty if it never had
 * a batch: for example, one created by a command that then refused to run because the media are another ledger's.
 */

/** Returns whether a ledger is empty. False for one that cannot be read. `address`: as for `openLedger`. */
export async function isEmptyLedger(address: string): Promise<boolean> {
  return isEmpty(address, () => Promise.resolve());
}

/**
 * Makes a ledger read-only if it is empty, also for processes that have it open, so that nothing is recorded in it
 * while a backup takes its place. `facts`: what the read-only ledger says about where work goes on. Returns whether it
 * is empty; false for one that cannot be read.
 */
export async function makeReadOnlyIfEmpty(address: string, facts: CopyFacts): Promise<boolean> {
  return isEmpty(address, async (tx, { database, dialect }) => {
    // A restore that was killed after this step has made it read-only already.
    if (database.readOnly === undefined) await markReadOnly(tx, dialect, 'moved', facts);
  });
}

/** Returns whether a ledger is empty; if it is, calls `whenEmpty` in the transaction that found out. */
async function isEmpty(address: string, whenEmpty: (tx: Tx, side: CopySide) => Promise<void>): Promise<boolean> {
  try {
    const side = await openSide(address);
    const { db } = side.database;
    try {
      await db.transaction().execute(async (transaction) => {
        const tx = withClock(transaction, db);
        await requireEmpty(tx);
        await whenEmpty(tx, side);
      });
      return true;
    } finally {
      await db.destroy();
    }
  } catch (error) {
    // `CopyRefused` is thrown for one with a batch, the others for one that cannot be read.
    if ([CopyRefused, LedgerUnreachable, LedgerTooNew].some((kind) => error instanceof kind)) return false;
    throw error;
  }
}
