import { access, statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import type { Bytes, FileRange } from './bytes.ts';
import { type BucketPlace, readBucketPlace } from './address.ts';
import type { BucketBytes, ProbedMarks } from './s3/s3-bytes.ts';
import { requireSafe } from './names.ts';
import { marksOf, type StoreMarks } from './owner-file.ts';
import type { Store, UrlLife } from './store.ts';

/**
 * Opens the store at an address from `readStoreAddress`. Creates nothing, and reaches no other machine.
 *
 * @param env environment with the settings of AWS for a bucket, and to find ffmpeg in
 */
export async function openStore(address: string, env: NodeJS.ProcessEnv): Promise<Store> {
  // Loaded lazily: the media checks take a while to load, and few commands need them.
  const place = readBucketPlace(address);
  if (place === undefined) return (await import('./folder-store.ts')).openFolderStore(address, { env });
  return (await import('./s3/s3-store.ts')).openBucketStore(place, env, { env });
}

/** Reads the files of the store at an address, and opens nothing before. `env`: as for {@link openStore}. */
export function readerOf(address: string, env: NodeJS.ProcessEnv = process.env): StoredFiles {
  let opening: Promise<StoredFiles> | undefined;
  return {
    read: async (key, range) => {
      requireSafe(key);
      return (await (opening ??= openReader(address, env))).read(key, range);
    },
  };
}

/** The files of a store, to be read whole or in part. */
export interface StoredFiles {
  readonly read: (key: string, range?: FileRange) => Promise<Readable>;
}

async function openReader(address: string, env: NodeJS.ProcessEnv): Promise<Pick<Bytes, 'read' | 'folders' | 'close'>> {
  const place = readBucketPlace(address);
  return place === undefined ? (await import('./folder-bytes.ts')).openFolderBytes(address) : openBucket(place, env);
}

async function openBucket(place: BucketPlace, env: NodeJS.ProcessEnv): Promise<BucketBytes> {
  return (await import('./s3/s3-bytes.ts')).openBucketBytes(place, env);
}

/** Where the store at an address has a file, for a person to read. */
export function placeOf(address: string, key: string): string {
  return readBucketPlace(address) === undefined ? join(address, key) : `${address}/${key}`;
}

/** What the store at an address says of itself; nothing if it is missing. Creates nothing. Throws `StoreUnwritable`. */
export async function marksOfStore(address: string, env: NodeJS.ProcessEnv): Promise<StoreMarks> {
  const place = readBucketPlace(address);
  return place === undefined ? marksOf(address) : using(await openBucket(place, env), (bucket) => bucket.marks());
}

/** Whether an address is that of a place in a bucket. */
export function isBucket(address: string): boolean {
  return readBucketPlace(address) !== undefined;
}

/**
 * Writes an object to a place in a bucket, copies it, reads it, and removes it. Returns what the place says of itself.
 * Throws `StoreUnwritable`.
 */
export async function tryBucket(address: string, env: NodeJS.ProcessEnv): Promise<ProbedMarks> {
  const place = readBucketPlace(address);
  if (place === undefined) throw new Error(`Expected a place in a bucket, but got ${address}.`);
  return using(await openBucket(place, env), (bucket) => bucket.probe());
}

/** How long a URL of a place in a bucket would live that is asked to live this long, ms. Asks nothing of the bucket. */
export async function lifeOfUrl(address: string, env: NodeJS.ProcessEnv, lifetimeMs: number): Promise<UrlLife> {
  const place = readBucketPlace(address);
  if (place === undefined) throw new Error(`Expected a place in a bucket, but got ${address}.`);
  return using(await openBucket(place, env), (bucket) => bucket.presign('any', lifetimeMs));
}

/**
 * The names of the folders at the top of the store at an address that begin like this. Creates nothing. Throws
 * `StoreUnwritable`.
 */
export async function foldersIn(address: string, prefix: string, env: NodeJS.ProcessEnv): Promise<readonly string[]> {
  const bytes = await openReader(address, env);
  try {
    const folders: string[] = [];
    for await (const folder of bytes.folders(prefix)) folders.push(folder);
    return folders;
  } finally {
    await bytes.close();
  }
}

/** Whether the store at an address has the folder of this key. Creates nothing. */
export async function hasFolderOf(address: string, key: string, env: NodeJS.ProcessEnv): Promise<boolean> {
  const place = readBucketPlace(address);
  if (place !== undefined) {
    return using(await openBucket(place, env), async (bucket) => {
      for await (const _ of bucket.list(`${dirname(key)}/`)) return true;
      return false;
    });
  }
  return access(join(address, dirname(key))).then(
    () => true,
    () => false,
  );
}

async function using<T>(bucket: BucketBytes, look: (bucket: BucketBytes) => Promise<T>): Promise<T> {
  try {
    return await look(bucket);
  } finally {
    await bucket.close();
  }
}

/** Free bytes for new files of a store; null if unknown, or as many as one pays for. Creates nothing. */
export function freeSpace(address: string): Promise<number | null> {
  return readBucketPlace(address) === undefined ? freeDisk(address) : Promise.resolve(null);
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
