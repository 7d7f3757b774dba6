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
 * @param env environment with the settings of AWS for a bucket, and to find ffmpeg in
 */
export async function openStore(address: string, env: NodeJS.ProcessEnv): Promise<Store> {
  const bytes = await openBytes(address, env);
  // Loaded lazily: the media checks take a while to load, and few commands need them.
  return (await import('./media-store.ts')).openMediaStore(bytes, { env });
}

function openBytes(address: string, env: NodeJS.ProcessEnv): Promise<Bytes> {
  return kindOfStore(address).open(address, env);
}

/** Reads the files of the store at an address, and opens nothing before. `env`: as for {@link openStore}. */
export function lazyFileReader(address: string, env: NodeJS.ProcessEnv = process.env): StoredFiles {
  let opening: Promise<StoredFiles> | undefined;
  return {
    read: async (key, range) => {
      requireSafe(key);
      return (await (opening ??= openBytes(address, env))).read(key, range);
    },
  };
}

/** The files of a store, to be read whole or in part. */
export interface StoredFiles {
  readonly read: (key: string, range?: FileRange) => Promise<Readable>;
}

/** Where the store at an address has a file, for a person to read. */
export function displayPath(address: string, key: string): string {
  return kindOfStore(address).isFolder ? join(address, key) : `${address}/${key}`;
}

/** What the store at an address says of itself; nothing if it is missing. Creates nothing. Throws `StoreUnwritable`. */
export function readStoreMarks(address: string, env: NodeJS.ProcessEnv): Promise<StoreMarks> {
  return kindOfStore(address).marks(address, env);
}

/**
 * Tries all that a store needs of its place: writes a file there, copies it, reads it, and removes it. Returns what it
 * says of itself; undefined for a place that is not tried. Throws `StoreUnwritable`.
 */
export function tryStore(address: string, env: NodeJS.ProcessEnv): Promise<Probed | undefined> {
  return using(address, env, async (bytes) => bytes.probe?.());
}

/**
 * How long a URL of a store would live that is asked to live this long; undefined if files have no URLs. Asks nothing
 * of another machine.
 */
export function urlLifetime(address: string, env: NodeJS.ProcessEnv, lifetimeMs: number): Promise<UrlLife | undefined> {
  return using(address, env, async (bytes) => bytes.presign?.('any', lifetimeMs));
}

/**
 * The names of the folders at the top of the store at an address that begin like this. Creates nothing. Throws
 * `StoreUnwritable`.
 */
export function foldersIn(address: string, prefix: string, env: NodeJS.ProcessEnv): Promise<readonly string[]> {
  return using(address, env, async (bytes) => {
    const folders: string[] = [];
    for await (const folder of bytes.folders(prefix)) folders.push(folder);
    return folders;
  });
}

/** Whether the store at an address has the batch's folder that this key is in. Creates nothing. */
export async function hasBatchFolder(address: string, key: string, env: NodeJS.ProcessEnv): Promise<boolean> {
  const [folder = ''] = key.split('/');
  return (await foldersIn(address, folder, env)).includes(folder);
}

async function using<T>(address: string, env: NodeJS.ProcessEnv, look: (bytes: Bytes) => Promise<T>): Promise<T> {
  const bytes = await openBytes(address, env);
  try {
    return await look(bytes);
  } finally {
    await bytes.close();
  }
}

/** Free bytes for new files of a store; null if unknown, or as many as one pays for. Creates nothing. */
export function freeSpace(address: string): Promise<number | null> {
  return kindOfStore(address).isFolder ? freeDisk(address) : Promise.resolve(null);
}

/** Free bytes on the disk of an existing or future folder; null if the system does not say. Creates nothing. */
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
