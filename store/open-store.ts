import { access, statfs } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { Bytes } from './bytes.ts';
import { requireSafe } from './names.ts';
import { ownerOf } from './owner-file.ts';
import type { Store } from './store.ts';

/**
 * A parsed store address, or the problem with it. Only a URL's scheme is quoted, because the rest may hold a password.
 */
export type StoreAddress =
  | {
      readonly type: 'address';
      /** Independent of the working directory. */
      readonly address: string;
    }
  | { readonly type: 'refused'; readonly expected: string; readonly came: string };

/** Stores that users ask for, not supported yet. */
const PLANNED: Readonly<Record<string, string>> = { s3: 'S3' };

/** Reads an address as a user writes it: the path of a folder. A URL would become a folder of that name. */
export function readStoreAddress(address: string): StoreAddress {
  const scheme = /^([a-z][a-z0-9+.-]*):\/\//i.exec(address)?.[1]?.toLowerCase();
  if (scheme === undefined) return { type: 'address', address: resolve(address) };
  const planned = PLANNED[scheme];
  const why = planned === undefined ? '' : `; ${planned} is not supported yet`;
  return { type: 'refused', expected: 'the path of a folder', came: `a ${scheme}: URL${why}` };
}

/**
 * Opens the store at an address from {@link readStoreAddress}. Creates nothing.
 *
 * @param env environment used to find ffmpeg
 */
export async function openStore(address: string, env: NodeJS.ProcessEnv): Promise<Store> {
  // Loaded lazily: the media checks take a while to load, and few commands need them.
  const { openFolderStore } = await import('./folder-store.ts');
  return openFolderStore(address, { env });
}

/** Reads the files of the store at an address, and opens nothing before. */
export function readerOf(address: string): Pick<Store, 'read'> {
  let opening: Promise<Bytes> | undefined;
  return {
    read: async (key) => {
      requireSafe(key);
      return (await (opening ??= openBytes(address))).read(key);
    },
  };
}

async function openBytes(address: string): Promise<Bytes> {
  const { openFolderBytes } = await import('./folder-bytes.ts');
  return openFolderBytes(address);
}

/** Where the store at an address has a file, for a person to read. */
export function placeOf(address: string, key: string): string {
  return join(address, key);
}

/** The owner that claimed the store at an address, if any. Creates nothing. Throws `StoreUnwritable`. */
export function ownerOfStore(address: string): Promise<string | undefined> {
  return ownerOf(address);
}

/** Whether the store at an address has the folder of this key. Creates nothing. */
export function hasFolderOf(address: string, key: string): Promise<boolean> {
  return access(join(address, dirname(key))).then(
    () => true,
    () => false,
  );
}

/** Free bytes for new files of a store; null if unknown. Creates nothing. */
export function freeSpace(address: string): Promise<number | null> {
  return freeDisk(address);
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
