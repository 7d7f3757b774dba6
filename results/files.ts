import { createHash } from 'node:crypto';
import { createWriteStream, type BigIntStats } from 'node:fs';
import { link, lstat, open, rename, stat } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { join } from 'node:path';
import { isNativeError } from 'node:util/types';
import type { FileLoss } from '../contract/file-loss.ts';
import { sha256Of, NotRegular, readRegular } from '../inputs/regular-file.ts';
import { StoredFileRefused } from '../store/errors.ts';
import { NotAFile } from './errors.ts';
import type { Store } from '../store/store.ts';

// Reading, checking and copying of files in the store and in out folders, and what their errors mean.

/** A file in the store, as the ledger records it. */
export interface RecordedFile {
  /** Name in the store. */
  readonly key: string;
  /** Hex. */
  readonly sha256: string;
}

/** Returns the code of a system error, such as `ENOENT`; empty for any other error. */
export function codeOf(error: unknown): string {
  return isNativeError(error) && 'code' in error ? String(error.code) : '';
}

/** Returns true for the error "no such file". */
export function isAbsent(error: unknown): boolean {
  return ['ENOENT', 'ENOTDIR'].includes(codeOf(error));
}

/** For a `catch`: returns undefined for the error "no such file", and throws any other one. */
export function absentOnly(error: unknown): undefined {
  if (isAbsent(error)) return undefined;
  throw error;
}

/** For a `catch` of a read from the store: returns how the file is lost, if it is missing or refused; else throws. */
function lossOnly(error: unknown): FileLoss {
  if (error instanceof StoredFileRefused) return error.is;
  absentOnly(error);
  return 'missing';
}

/** Returns the stats of a path without following a symbolic link; undefined if nothing is there. */
export async function lstatsOf(path: string): Promise<BigIntStats | undefined> {
  return lstat(path, { bigint: true }).catch(absentOnly);
}

/** Returns the stats of the file that a path leads to, behind symbolic links; undefined if nothing is there. */
export async function statsOf(path: string): Promise<BigIntStats | undefined> {
  return stat(path, { bigint: true }).catch(absentOnly);
}

/**
 * Returns whether a regular file has this content. `stats`: {@link statsOf} to follow a symbolic link. Default: it is
 * not followed.
 */
export async function hasContent(path: string, sha256: string, stats = lstatsOf): Promise<boolean> {
  return (await stats(path))?.isFile() === true && (await sha256Of(path).catch(absentOnly)) === sha256;
}

/** Reads the text of a file; undefined if it is missing or no regular file. */
export async function readText(path: string): Promise<string | undefined> {
  try {
    return await readRegular(path);
  } catch (error) {
    if (error instanceof NotRegular || isAbsent(error)) return undefined;
    throw error;
  }
}

/** Reads a JSON file; undefined if it is missing, no regular file, or not JSON. */
export async function readJson(path: string): Promise<unknown> {
  try {
    return JSON.parse((await readText(path)) ?? '');
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/**
 * Gives a file a second name; returns false if that name is taken. On a disk without hard links, the file is renamed
 * instead.
 */
export async function linkOrRename(path: string, further: string): Promise<boolean> {
  try {
    await link(path, further);
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    if (isAbsent(error)) throw error;
    if ((await lstatsOf(further)) !== undefined) return false;
    await rename(path, further);
    return true;
  }
}

/** Copies a stored file to a new file and syncs it. Returns whether the copy has the recorded content. */
export async function copyStored(
  { key, sha256 }: RecordedFile,
  store: Pick<Store, 'read'>,
  path: string,
): Promise<'copied' | FileLoss> {
  const body = await store.read(key).catch(lossOnly);
  if (typeof body === 'string') return body;
  const hash = createHash('sha256');
  const hashed = async function* (pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const piece of pieces) {
      hash.update(piece);
      yield piece;
    }
  };
  await pipeline(body, hashed, createWriteStream(path, { flags: 'wx', flush: true }));
  return hash.digest('hex') === sha256 ? 'copied' : 'altered';
}

/** Reads a stored file, and returns whether it has the recorded content. */
export async function checkStored(
  { key, sha256 }: RecordedFile,
  store: Pick<Store, 'read'>,
): Promise<'intact' | FileLoss> {
  const body = await store.read(key).catch(lossOnly);
  if (typeof body === 'string') return body;
  const hash = createHash('sha256');
  await pipeline(body, hash);
  return hash.digest('hex') === sha256 ? 'intact' : 'altered';
}

/**
 * Syncs a file's content, or a folder's names. Windows can sync neither when opened for reading, and does not need to.
 */
export async function syncToDisk(path: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(path);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Throws {@link NotAFile} for the first of these names of a folder that is there and no file. */
export async function requireFiles(folder: string, names: readonly string[]): Promise<void> {
  for (const name of names) {
    const path = join(folder, name);
    if ((await statsOf(path))?.isFile() === false) throw new NotAFile(path);
  }
}
