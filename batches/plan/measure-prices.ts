import { operationOf } from '../../contract/row-kinds.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { BatchRecord } from '../../ledger/batches/batch-records.ts';
import type { RowSnapshot } from '../../ledger/rows/row-records.ts';
import { PriceTally } from '../../policy/money/compare-prices.ts';

/** Adds up what the API charged for the rows of a batch that were run, by operation. Calls `onRow` for each of them. */
export async function measurePrices(
  ledger: Pick<Ledger, 'scanRows'>,
  batch: Pick<BatchRecord, 'name' | 'settings'>,
  onRow: (snapshot: RowSnapshot) => void = () => undefined,
): Promise<PriceTally> {
  const tally = new PriceTally();
  for await (const snapshot of ledger.scanRows(batch.name, { isNotChosen: false })) {
    onRow(snapshot);
    for (const { step, chargedFrom, charged, quoted, failure } of snapshot.charges) {
      // Only the API's own figures count, and a failed job may have been charged less.
      if (chargedFrom !== 'api' || charged === null || failure !== null) continue;
      tally.addPaid(operationOf(snapshot.row.spec, step, batch.settings.tts), quoted, charged);
    }
  }
  return tally;
}
