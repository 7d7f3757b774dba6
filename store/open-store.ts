import { statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import type { Bytes, FileRange, Probed } from './bytes.ts';
import { kindOfStore } from './supported-stores.ts';
import { requireSafe } from './layout.ts';
import type { StoreMarks } from './owner-file.ts';
import type { Store, UrlLife } from './store.ts';

/**
 * Opens the store at an address from `readStoreAddress`. Creates nothing, and reaches no other machine.
 *
 * @param env environment variables: settings of AWS for a bucket, and `PATH` and `VOXBATCH_FFMPEG` to find ffmpeg
 */
export async function openStore(address: string, env: NodeJS.ProcessEnv): Promise<Store> {
  const bytes = await openBytes(address, env);
  // Loaded lazily: the media checks take a while to load, and few commands need them.
  return (await import('./media-store.ts')).openMediaStore(bytes, { env });
}

function openBytes(address: string, env: NodeJS.ProcessEnv): Promise<Bytes> {
  return kindOfStore(address).open(address, env);
}

/** Returns a reader of the store at an address, which opens it with the first read. `env`: as for {@link openStore}. */
export function lazyFileReader(address: string, env: NodeJS.ProcessEnv = process.env): StoredFiles {
  let opening: Promise<StoredFiles> | undefined;
  return {
    read: async (key, range) => {
      requireSafe(key);
      return (await (opening ??= openBytes(address, env))).read(key, range);
    },
  };
}

/** Reads files of a store: completely, or a range of bytes. Rejects like `Bytes.read`. */
export interface StoredFiles {
  readonly read: (key: string, range?: FileRange) => Promise<Readable>;
}

/** Returns the path or URL of a stored file, to show to a person. */
export function displayPath(address: string, key: string): string {
  return kindOfStore(address).isFolder ? join(address, key) : `${address}/${key}`;
}

/**
 * Reads the owner and id of the store at an address; neither if it is missing. Creates nothing. Throws
 * `StoreUnwritable`.
 */
export function readStoreMarks(address: string, env: NodeJS.ProcessEnv): Promise<StoreMarks> {
  return kindOfStore(address).marks(address, env);
}

/**
 * Tests whether the place at an address supports a store: writes a file, reads, copies, lists and removes it. Returns
 * undefined for a folder, which needs no test. Throws `StoreUnwritable` if an operation fails.
 */
export function tryStore(address: string, env: NodeJS.ProcessEnv): Promise<Probed | undefined> {
  return withBytes(address, env, async (bytes) => bytes.probe?.());
}

/**
 * Returns how long a URL of a store would live if it were requested for `lifetimeMs`; undefined if its files have no
 * URLs. Signs a URL of any key for that, and sends no request to the store.
 */
export function urlLifetime(address: string, env: NodeJS.ProcessEnv, lifetimeMs: number): Promise<UrlLife | undefined> {
  return withBytes(address, env, async (bytes) => bytes.presign?.('any', lifetimeMs));
}

/**
 * Returns the names of the top-level folders of a store with this prefix. Creates nothing. Throws `StoreUnwritable`.
 */
export function foldersIn(address: string, prefix: string, env: NodeJS.ProcessEnv): Promise<readonly string[]> {
  return withBytes(address, env, async (bytes) => {
    const folders: string[] = [];
    for await (const folder of bytes.folders(prefix)) folders.push(folder);
    return folders;
  });
}

/** Returns whether a store has the top-level folder of this key, which is that of its batch. Creates nothing. */
export async function hasBatchFolder(address: string, key: string, env: NodeJS.ProcessEnv): Promise<boolean> {
  const [folder = ''] = key.split('/');
  return (await foldersIn(address, folder, env)).includes(folder);
}

/** Opens the bytes at an address for one action, and closes them. */
async function withBytes<T>(address: string, env: NodeJS.ProcessEnv, use: (bytes: Bytes) => Promise<T>): Promise<T> {
  const bytes = await openBytes(address, env);
  try {
    return await use(bytes);
  } finally {
    await bytes.close();
  }
}

/**
 * Returns the free bytes for new files of a store; null if unknown, or for a bucket, which has no limit. Creates
 * nothing.
 */
export function freeSpace(address: string): Promise<number | null> {
  return kindOfStore(address).isFolder ? freeDisk(address) : Promise.resolve(null);
}

/** Returns the free bytes on the disk of an existing or future folder; null if the system does not say. */
export async function freeDisk(folder: string): Promise<number | null> {
  try {
    const { bavail, bsize } = await statfs(folder);
    return bavail * bsize;
  } catch (error) {
    const isMissing = typeof error === 'object' && error !== null && 'code' in error && error.code === 'ENOENT';
    const parent = dirname(folder);
    return isMissing && parent !== folder ? freeDisk(parent) : null;
  }
}
