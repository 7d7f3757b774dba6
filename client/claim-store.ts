import type { Ledger } from '../ledger/ledger.ts';
import { hasFolderOf, openStore, ownerOfStore, readerOf } from '../store/open-store.ts';
import type { Store } from '../store/store.ts';
import { beforeWork, VoxbatchError } from './problem.ts';
import type { Settings } from './settings.ts';
import type { SearchedStore } from '../batches/redrive/find-loss.ts';
import type { BatchRecord } from '../ledger/record-types.ts';

type StoreSettings = Pick<Settings, 'store' | 'env'>;
type LedgerName = Pick<Ledger, 'id' | 'place'>;
/** A ledger that records its stored files. */
export type StoringLedger = LedgerName & Pick<Ledger, 'findStoredFile'>;

/** Opens the store to read from it: claims and creates nothing. */
export function openStoreOf({ store, env }: StoreSettings): Promise<Store> {
  return openStore(store, env);
}

/**
 * Opens the store for work and claims it for this ledger. Files are named by batch and row, so two ledgers sharing a
 * store would overwrite each other's paid results, or mistake them for their own.
 *
 * Throws {@link VoxbatchError} (as {@link requireStore} does).
 */
export async function claimStore(settings: StoreSettings, ledger: StoringLedger): Promise<Store> {
  await requireStore(settings, ledger);
  return claim(settings, ledger);
}

/**
 * Checks that the store holds the ledger's files; otherwise all of them would be paid for again. A ledger with no
 * recorded file has no store yet. Creates and claims nothing.
 *
 * Throws {@link VoxbatchError} (`store-missing`, `store-of-another`, `machine`).
 */
export async function requireStore({ store, env }: StoreSettings, ledger: StoringLedger): Promise<void> {
  await beforeWork(async () => {
    const owner = await ownerOfStore(store, env);
    if (owner === ledger.id) return;
    const where = { store, ledger: ledger.place };
    if (owner !== undefined) throw new VoxbatchError({ type: 'store-of-another', ...where });
    const stored = await ledger.findStoredFile();
    // A store of an earlier version has files but no owner mark.
    if (stored === undefined || (await hasFolderOf(store, stored.key, env))) return;
    throw new VoxbatchError({ type: 'store-missing', ...where, batch: stored.batch });
  });
}

/** Creates an empty store to replace the ledger's missing one: a person has confirmed that its files are lost. */
export async function beginStore(settings: StoreSettings, ledger: LedgerName): Promise<void> {
  await (await claim(settings, ledger)).close();
}

async function claim(settings: StoreSettings, ledger: LedgerName): Promise<Store> {
  return beforeWork(async () => {
    const store = await openStore(settings.store, settings.env);
    if ((await store.claim(ledger.id)) === ledger.id) {
      await store.sweep();
      return store;
    }
    throw new VoxbatchError({ type: 'store-of-another', store: settings.store, ledger: ledger.place });
  });
}

/** How lost texts are restored. */
export interface Rewriting {
  /** Opens the store when a lost text has to be stored again. Default: lost texts are not restored. */
  readonly open?: () => Promise<Pick<Store, 'write'>>;
  /** Called with the key of each such text, whether it is stored or not. */
  readonly onRewritten?: (key: string) => void;
}

/**
 * Opens a ledger's store to search for a batch's lost files. Creates and claims nothing: otherwise the empty mount
 * point of an unmounted disk would become the store.
 *
 * `requireOwn` throws {@link VoxbatchError} (`store-missing`, `store-of-another`, `machine`).
 */
export function searchedStore(
  { store, env }: StoreSettings,
  { id, place }: Pick<Ledger, 'id' | 'place'>,
  { name: batch }: Pick<BatchRecord, 'name'>,
  { open, onRewritten }: Rewriting = {},
): SearchedStore {
  return {
    files: readerOf(store, env),
    requireOwn: () =>
      beforeWork(async () => {
        const owner = await ownerOfStore(store, env);
        if (owner === id) return;
        const where = { store, ledger: place };
        throw new VoxbatchError(
          owner === undefined ? { type: 'store-missing', ...where, batch } : { type: 'store-of-another', ...where },
        );
      }),
    rewrite: async ({ file: { key, extension }, text }) => {
      const stem = key.slice(0, -`.${extension}`.length);
      await (await open?.())?.write(stem, Buffer.from(text), { family: 'text', extension });
      onRewritten?.(key);
    },
  };
}
