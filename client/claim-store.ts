import { randomUUID } from 'node:crypto';
import { isLedgerFile } from '../contract/urls.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { hasBatchFolder, readStoreMarks, openStore, lazyFileReader } from '../store/open-store.ts';
import { kindOfStore } from '../store/supported-stores.ts';
import type { Store } from '../store/store.ts';
import { VoxbatchError } from './problem.ts';
import { wrapMachineFaults } from './machine-faults.ts';
import type { Settings } from './settings.ts';
import type { SearchedStore } from '../batches/redrive/find-loss.ts';
import type { BatchRecord } from '../ledger/batches/batch-records.ts';

type StoreSettings = Pick<Settings, 'store' | 'env'>;
type LedgerName = Pick<Ledger, 'id' | 'place'>;

/** A ledger that records which store is its own, and the files in it. */
export type StoringLedger = LedgerName & Pick<Ledger, 'findStoredFile' | 'storeId'>;

/** The store and the ledger of a problem. `isUnset`: no store is configured, so it is the default one in the home. */
function placesOf({ store, env }: StoreSettings, { place }: LedgerName) {
  return { store, ledger: place, isUnset: (env['VOXBATCH_STORE'] ?? '') === '' };
}

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
export async function claimStore(
  settings: StoreSettings,
  ledger: StoringLedger & Pick<Ledger, 'recordStore'>,
): Promise<Store> {
  await requireStore(settings, ledger);
  return wrapMachineFaults(async () => {
    const { store, id } = await claim(settings, ledger, await ledger.storeId());
    // If several processes start with different stores at once, the first one recorded wins.
    if ((await ledger.recordStore(id)) === id) return store;
    await store.close();
    throw new VoxbatchError({ type: 'other-store', ...placesOf(settings, ledger) });
  });
}

/**
 * Checks that the store is the ledger's own: with another store, all results would seem lost and be paid for again, or
 * some workers would store theirs elsewhere. Creates and claims nothing. A store carries two marks: the id of the
 * ledger that claimed it, and an id of its own, which the ledger records.
 *
 * Throws {@link VoxbatchError} (`store-missing`, `store-of-another`, `other-store`, `machine`).
 */
export async function requireStore({ store, env }: StoreSettings, ledger: StoringLedger): Promise<void> {
  await wrapMachineFaults(async () => {
    // Read before the store's marks: a process that claims the store just now writes the marks first.
    const recorded = await ledger.storeId();
    const { owner, id } = await readStoreMarks(store, env);
    const where = placesOf({ store, env }, ledger);
    if (owner !== undefined && owner !== ledger.id) throw new VoxbatchError({ type: 'store-of-another', ...where });
    if (owner !== undefined && id !== undefined && (recorded === undefined || recorded === id)) return;
    // The ledger has recorded another store, which has its files or will have them.
    if (owner !== undefined && recorded !== undefined) throw new VoxbatchError({ type: 'other-store', ...where });
    const stored = await ledger.findStoredFile();
    // A store of an earlier version has files, but lacks one or both marks.
    if (stored === undefined ? recorded === undefined : await hasBatchFolder(store, stored.key, env)) return;
    // An unmounted disk is likely only if store and ledger are folders here. Otherwise the settings name another store.
    const isShared = !kindOfStore(store).isFolder || !isLedgerFile(ledger.place);
    throw new VoxbatchError(
      stored === undefined || (recorded !== undefined && isShared)
        ? { type: 'other-store', ...where }
        : { type: 'store-missing', ...where, batch: stored.batch },
    );
  });
}

/** Creates an empty store to replace the ledger's missing one: a person has confirmed that its files are lost. */
export async function beginStore(
  settings: StoreSettings,
  ledger: LedgerName & Pick<Ledger, 'replaceStore'>,
): Promise<void> {
  await wrapMachineFaults(async () => {
    const { store, id } = await claim(settings, ledger);
    await store.close();
    await ledger.replaceStore(id);
  });
}

/**
 * Claims a store, and gives it an id if it has none: the `recorded` one if its marks were lost, otherwise a new one.
 */
async function claim(
  settings: StoreSettings,
  ledger: LedgerName,
  recorded: string = randomUUID(),
): Promise<{ readonly store: Store; readonly id: string }> {
  const store = await openStore(settings.store, settings.env);
  if ((await store.claim(ledger.id)) !== ledger.id)
    throw new VoxbatchError({ type: 'store-of-another', store: settings.store, ledger: ledger.place });
  const id = await store.claimId(recorded);
  // Removes unfinished files that killed processes left.
  await store.sweep();
  return { store, id };
}

/** How lost texts are restored: the ledger has each transcript, so its file can be written again without paying. */
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
 * `requireOwn` throws {@link VoxbatchError} (`store-missing`, `store-of-another`, `other-store`, `machine`).
 */
export function searchedStore(
  { store, env }: StoreSettings,
  ledger: LedgerName & Pick<Ledger, 'storeId'>,
  { name: batch }: Pick<BatchRecord, 'name'>,
  { open, onRewritten }: Rewriting = {},
): SearchedStore {
  return {
    files: lazyFileReader(store, env),
    requireOwn: () =>
      wrapMachineFaults(async () => {
        const recorded = await ledger.storeId();
        const { owner, id } = await readStoreMarks(store, env);
        const where = placesOf({ store, env }, ledger);
        if (owner === undefined) throw new VoxbatchError({ type: 'store-missing', ...where, batch });
        if (owner !== ledger.id) throw new VoxbatchError({ type: 'store-of-another', ...where });
        if (recorded !== undefined && recorded !== id) throw new VoxbatchError({ type: 'other-store', ...where });
      }),
    rewrite: async ({ file: { key, extension }, text }) => {
      const stem = key.slice(0, -`.${extension}`.length);
      await (await open?.())?.write(stem, Buffer.from(text), { family: 'text', extension });
      onRewritten?.(key);
    },
  };
}
