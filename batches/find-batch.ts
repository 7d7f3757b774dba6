import type { Ledger } from '../ledger/ledger.ts';
import type { BatchRecord } from '../ledger/record-types.ts';
import { isUsableName } from '../contract/batch-name.ts';
import { isSingle } from '../contract/batch.ts';

/** The batch that was meant, or the names of those that there are, without single jobs. */
export type FoundBatch =
  | { readonly type: 'found'; readonly batch: BatchRecord }
  | { readonly type: 'missing'; readonly known: readonly string[] };

/**
 * Finds the batch of this name; without a name the newest one. A single job does not count as long as there is another
 * batch: it is asked for again by its own command.
 */
export async function findBatch(ledger: Pick<Ledger, 'listBatches'>, name: string | undefined): Promise<FoundBatch> {
  // A ledger that came with a folder may name a batch `../..`, and the folder of its files after it, or `--on-end=COMMAND`.
  const all = (await ledger.listBatches()).filter((one) => isUsableName(one.name));
  const batches = all.filter((one) => !isSingle(one));
  const batch =
    name === undefined
      ? (batches.length === 0 ? all : batches).toSorted((a, b) => b.createdAt - a.createdAt)[0]
      : all.find((one) => one.name === name);
  return batch === undefined ? { type: 'missing', known: batches.map((one) => one.name) } : { type: 'found', batch };
}
