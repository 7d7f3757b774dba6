import { batchOfFolder, isUsableName } from '../contract/batch-name.ts';
import { foldersIn, readStoreMarks } from '../store/open-store.ts';
import { kindOfStore } from '../store/supported-stores.ts';
import { VoxbatchError } from './problem.ts';
import type { Settings } from './settings.ts';

/**
 * Explains why there is no batch: throws {@link VoxbatchError} (`ledger-lost`) if the store has media of batches that
 * another ledger recorded. Does nothing for a bucket, because listing it would take long.
 *
 * @param ledgerId id of the ledger that exists here, if any
 */
export async function refuseLostLedger(
  { ledger, store, env }: Pick<Settings, 'ledger' | 'store' | 'env'>,
  ledgerId?: string,
): Promise<void> {
  if (!kindOfStore(store).isFolder) return;
  const batches = await batchesIn(store, env, ledgerId).catch(() => []);
  if (batches.length > 0) throw new VoxbatchError({ type: 'ledger-lost', ledger, store, batches });
}

/** The names of batches in a store that another ledger has claimed. */
async function batchesIn(store: string, env: NodeJS.ProcessEnv, ledgerId?: string): Promise<readonly string[]> {
  const { owner } = await readStoreMarks(store, env);
  if (owner === undefined || owner === ledgerId) return [];
  const names = (await foldersIn(store, '', env)).flatMap((folder) => batchOfFolder(folder) ?? []);
  return [...new Set(names.filter(isUsableName))].toSorted();
}
