import { access, statfs } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { ownerOf } from './owner-file.ts';
import type { Store } from './store.ts';

/** An address of a store that was understood, or what is wrong with it. Of a URL only the scheme is said: the rest may hold a password. */
export type StoreAddress =
  | {
      readonly type: 'address';
      /** Means the same in every working directory. */
      readonly address: string;
    }
  | { readonly type: 'refused'; readonly expected: string; readonly came: string };

/** Stores that people ask for. */
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
 * Opens the store at an address that {@link readStoreAddress} gave. Makes nothing.
 *
 * @param env environment in which ffmpeg is looked for
 */
export async function openStore(address: string, env: NodeJS.ProcessEnv): Promise<Store> {
  // What checks media takes a while to load, and few commands need it.
  const { openFolderStore } = await import('./folder-store.ts');
  return openFolderStore(address, { env });
}

/** Which owner claimed the store at an address; undefined if nobody did. Makes nothing. Throws `StoreUnwritable`. */
export function ownerOfStore(address: string): Promise<string | undefined> {
  return ownerOf(address);
}

/** Whether the store at an address has the folder that a file of this key is in. Makes nothing. */
export function hasFolderOf(address: string, key: string): Promise<boolean> {
  return access(join(address, dirname(key))).then(
    () => true,
    () => false,
  );
}

/** Bytes that are free for new files of a store; null where nobody can tell. Makes nothing. */
export function freeSpace(address: string): Promise<number | null> {
  return freeDisk(address);
}

/** Bytes free for us where this folder is, or will be; null if the system does not say. Creates nothing. */
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
