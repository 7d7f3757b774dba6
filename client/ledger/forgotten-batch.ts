import { countPaid } from '../../batches/reconcile/forgotten-requests.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { StoreUnwritable } from '../../store/errors.ts';
import { openStoreOf } from '../claim-store.ts';
import type { ForgottenBatch } from '../problem-types.ts';
import type { Settings } from '../settings.ts';
import { findUnknownFolders, type UnknownFolder } from '../../batches/reconcile/unknown-folders.ts';

/**
 * Finds the receipts and stored results that show that a batch of this name has run, although the ledger does not have
 * it, as after a restore; undefined if there are none. `out`: its out folder, if that has files of it. Changes nothing.
 */
export async function findForgottenBatch(
  batch: string,
  out: string | null,
  ledger: Ledger,
  settings: Pick<Settings, 'store' | 'env'>,
): Promise<ForgottenBatch | undefined> {
  const folders = await foldersOf(batch, ledger, settings);
  if (out === null && folders.length === 0) return undefined;
  return { batch, receipts: out === null ? null : { out, ...(await countPaid(out)) }, folders };
}

/** Returns none if the store is unusable: the command reports that when it opens the store. */
async function foldersOf(
  batch: string,
  ledger: Ledger,
  settings: Pick<Settings, 'store' | 'env'>,
): Promise<readonly UnknownFolder[]> {
  try {
    const store = await openStoreOf(settings);
    try {
      return (await findUnknownFolders(ledger, store, batch)).named;
    } finally {
      await store.close();
    }
  } catch (error) {
    if (error instanceof StoreUnwritable) return [];
    throw error;
  }
}
