import type { Ledger } from '../ledger/ledger.ts';
import type { BatchRecord } from '../ledger/record-types.ts';

/** The batch that was meant, or the names of those that there are. */
export type FoundBatch =
  | { readonly type: 'found'; readonly batch: BatchRecord }
  | { readonly type: 'missing'; readonly known: readonly string[] };

/** Finds the batch of this name; without a name the newest one. */
export async function findBatch(ledger: Pick<Ledger, 'listBatches'>, name: string | undefined): Promise<FoundBatch> {
  const batches = await ledger.listBatches();
  const batch =
    name === undefined
      ? batches.toSorted((a, b) => b.createdAt - a.createdAt)[0]
      : batches.find((one) => one.name === name);
  return batch === undefined ? { type: 'missing', known: batches.map((one) => one.name) } : { type: 'found', batch };
}
