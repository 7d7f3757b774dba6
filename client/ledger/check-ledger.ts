import { compareTallies, countAgain, readRecorded } from '../../ledger/copy/tally.ts';
import { readSnapshot } from '../../ledger/database/transactions.ts';
import { openSide } from '../../ledger/copy/open-side.ts';
import { openRecords } from '../open-records.ts';
import { wrapMachineFaults } from '../machine-faults.ts';
import type { Settings } from '../settings.ts';
import { viewSums, type LedgerCheckView } from './ledger-view.ts';

/**
 * Counts every row and charge of a ledger again, in one snapshot, and compares the result with the counts and sums that
 * the ledger keeps. Changes nothing. Throws {@link VoxbatchError} (`no-ledger`, `machine`).
 */
export async function checkLedgerSums(settings: Settings): Promise<LedgerCheckView> {
  // Opened only to report a missing or unusable ledger in the usual way, which `openSide` does not.
  const { place, close } = await openRecords(settings, { mustExist: true });
  await close();
  const { database } = await wrapMachineFaults(() => openSide(settings.ledger));
  try {
    const { counted, kept } = await wrapMachineFaults(() =>
      readSnapshot(database.db, async (tx) => ({ counted: await countAgain(tx), kept: await readRecorded(tx) })),
    );
    // `true`: kept sums may differ from recounted ones by rounding.
    return { ledger: place, batches: viewSums(counted), differences: compareTallies(counted, kept, true) };
  } finally {
    await database.db.destroy();
  }
}
