import { compareTallies, countAgain, readKept } from '../../ledger/copy/tally.ts';
import { readSnapshot } from '../../ledger/database/transactions.ts';
import { openSide } from '../../ledger/copy/open-side.ts';
import { openRecords } from '../open-records.ts';
import { wrapMachineFaults } from '../machine-faults.ts';
import type { Settings } from '../settings.ts';
import { viewSums, type LedgerCheckView } from './ledger-view.ts';

/**
 * Counts every row and charge of a ledger again, and compares that with the counts and sums it keeps. Changes nothing;
 * on a ledger that is worked on, it sees one moment. Throws {@link VoxbatchError} (`no-ledger`, `machine`).
 */
export async function checkLedgerSums(settings: Settings): Promise<LedgerCheckView> {
  // Says what is missing or strange, as every command that looks.
  const { place, close } = await openRecords(settings, { mustExist: true });
  await close();
  const { database } = await wrapMachineFaults(() => openSide(settings.ledger));
  try {
    const { counted, kept } = await wrapMachineFaults(() =>
      readSnapshot(database.db, async (tx) => ({ counted: await countAgain(tx), kept: await readKept(tx) })),
    );
    return { ledger: place, batches: viewSums(counted), differences: compareTallies(counted, kept, true) };
  } finally {
    await database.db.destroy();
  }
}
