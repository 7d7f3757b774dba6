import type { Ledger } from '../ledger/ledger.ts';
import { openStore } from '../store/open-store.ts';
import type { Store } from '../store/store.ts';
import { beforeWork } from './before-work.ts';
import { VoxbatchError } from './problem.ts';
import type { Settings } from './settings.ts';

/**
 * Opens the store for work, and claims it for this ledger. Files in it are named by batch and row, so two ledgers in
 * one store would overwrite what the other paid for, and take its results for their own.
 *
 * Throws {@link VoxbatchError} (`store-of-another`, `machine`).
 */
export async function claimStore(
  settings: Pick<Settings, 'store' | 'env'>,
  ledger: Pick<Ledger, 'id' | 'place'>,
): Promise<Store> {
  return beforeWork(async () => {
    const store = await openStore(settings.store, settings.env);
    if ((await store.claim(ledger.id)) === ledger.id) {
      await store.sweep();
      return store;
    }
    throw new VoxbatchError({ type: 'store-of-another', store: settings.store, ledger: ledger.place });
  });
}
