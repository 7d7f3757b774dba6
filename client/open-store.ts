import { randomUUID } from 'node:crypto';
import { link, open, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Ledger } from '../ledger/ledger.ts';
import { StoreUnwritable } from '../store/errors.ts';
import { openFolderStore } from '../store/folder-store.ts';
import type { Store } from '../store/store.ts';
import { beforeWork } from './before-work.ts';
import { VoxbatchError } from './problem.ts';
import type { Settings } from './settings.ts';

/** Says in a store whose files it holds: the id of a ledger. */
const OWNER_FILE = '.ledger';

/**
 * Opens the store for work, and makes it this ledger's. Files are named by batch and row there, so two ledgers in one store would
 * overwrite what each other paid for, and take each other's results for their own.
 *
 * Throws {@link VoxbatchError} (`store-of-another`, `machine`).
 */
export async function openStore(
  settings: Pick<Settings, 'store'>,
  ledger: Pick<Ledger, 'id' | 'file'>,
): Promise<Store> {
  return beforeWork(async () => {
    const store = await openFolderStore(settings.store);
    const owner = await ownerOf(settings.store, ledger.id);
    if (owner === ledger.id) {
      await store.sweep();
      return store;
    }
    throw new VoxbatchError({ type: 'store-of-another', store: settings.store, ledger: ledger.file });
  });
}

/** Works with the store, and closes it when that is done. */
export async function withStore<T>(
  settings: Pick<Settings, 'store'>,
  ledger: Pick<Ledger, 'id' | 'file'>,
  work: (store: Store) => Promise<T>,
): Promise<T> {
  const store = await openStore(settings, ledger);
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

/** Whose store it is; one that is nobody's is this ledger's from now on. */
async function ownerOf(folder: string, ledger: string): Promise<string> {
  const path = join(folder, OWNER_FILE);
  try {
    return (await read(path)) ?? (await claim(path, ledger));
  } catch (error) {
    throw new StoreUnwritable(path, error);
  }
}

async function read(path: string): Promise<string | undefined> {
  return readFile(path, 'utf8').catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  });
}

/** Under its name only when it is whole: of several who begin at once, one makes it. */
async function claim(path: string, ledger: string): Promise<string> {
  const part = `${path}.${randomUUID()}.part`;
  const file = await open(part, 'wx', 0o600);
  try {
    await file.writeFile(ledger);
    await file.sync();
    await link(part, path).catch((error: unknown) => {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    });
  } finally {
    await file.close();
    await rm(part, { force: true });
  }
  return readFile(path, 'utf8');
}
