import type { BigIntStats } from 'node:fs';
import { link, mkdir, rename, rm, utimes } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { FileLoss } from '../contract/file-loss.ts';
import { sha256Of } from '../inputs/regular-file.ts';
import type { Store } from '../store/store.ts';
import type { RealFolders } from './real-folders.ts';
import type { RowFile } from './result-line.ts';
import { NotAFile } from './errors.ts';
import { codeOf, copyStored, isAbsent, lstatsOf } from './files.ts';
import { partPath } from './atomic-file.ts';

/** The read-only part of the store that placing files needs. */
export type StoredFiles = Pick<Store, 'read' | 'pathOf'>;

/**
 * Result of placing a file. `kept`: the correct file was there already. A `FileLoss`: the store no longer has the
 * recorded content, nor does the out folder.
 */
export type Placed = 'kept' | 'placed' | FileLoss;

/** Errors of file systems that cannot link two places; the file is then copied. */
const CANNOT_LINK = new Set(['EXDEV', 'EPERM', 'EMLINK', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EACCES', 'EINVAL']);

/**
 * Places a stored file under its name below the out folder: a link if both are on one disk, otherwise a synced copy.
 * Leaves a correct file alone and atomically replaces anything else under that name. Throws `LinkedFolder` if a folder
 * on the path is a symbolic link, and {@link NotAFile} if the name is that of a folder.
 */
export async function placeFile({ name, file }: RowFile, store: StoredFiles, folders: RealFolders): Promise<Placed> {
  await folders.require([name]);
  const target = join(folders.out, name);
  const source = store.pathOf(file.key);
  // A symbolic link is not a stored file: a hard link to it would be a symbolic link too, and could lead anywhere.
  const stored = source === undefined ? undefined : await lstatsOf(source);
  const isStored = stored?.isFile() === true && stored.size === BigInt(file.bytes);
  // Try to link first: the name is mostly free, and this also shows if it is not.
  const linked = source !== undefined && isStored ? await linkFile(source, target) : 'no-links';
  if (linked === 'linked') return 'placed';
  const there = await lstatsOf(target);
  if (source !== undefined && !isStored) {
    // The out folder may still have a file that the store has lost; it was paid for and need not be made again.
    if (there !== undefined && (await isRight(there, undefined, target, file))) return 'kept';
    return stored === undefined ? 'missing' : 'altered';
  }
  if (there !== undefined && (await isRight(there, stored, target, file))) return 'kept';
  if (there?.isDirectory() === true) throw new NotAFile(target);
  if (source !== undefined && linked === 'taken' && (await replaceByLink(source, target))) return 'placed';
  await mkdir(dirname(target), { recursive: true });
  return copyFile(file, store, target, stored);
}

/**
 * Returns whether the file under the name is correct: the stored file itself, or a copy of it. For a copy of ours, size
 * and time are enough, as for rsync; otherwise its content is read.
 */
async function isRight(
  there: BigIntStats,
  stored: BigIntStats | undefined,
  target: string,
  file: RowFile['file'],
): Promise<boolean> {
  if (!there.isFile() || there.size !== BigInt(file.bytes)) return false;
  if (stored !== undefined) {
    if (there.dev === stored.dev && there.ino === stored.ino) return true;
    // Converting to fractional seconds may lose a millisecond.
    const apart = there.mtimeMs - stored.mtimeMs;
    if (apart >= -1n && apart <= 1n) return true;
  }
  return (await sha256Of(target)) === file.sha256;
}

/** Links a stored file to a name. `taken`: the name exists. `no-links`: the file system cannot link the two places. */
async function linkFile(source: string, target: string): Promise<'linked' | 'taken' | 'no-links'> {
  try {
    // The folder mostly exists.
    await link(source, target).catch(async (error: unknown) => {
      if (!isAbsent(error)) throw error;
      await mkdir(dirname(target), { recursive: true });
      await link(source, target);
    });
    return 'linked';
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return 'taken';
    if (CANNOT_LINK.has(codeOf(error))) return 'no-links';
    throw error;
  }
}

/** Replaces a name by a link to a stored file. Returns false if the file system cannot link the two places. */
async function replaceByLink(source: string, target: string): Promise<boolean> {
  const part = partPath(target);
  try {
    await link(source, part);
    await rename(part, target);
    return true;
  } catch (error) {
    if (CANNOT_LINK.has(codeOf(error))) return false;
    throw error;
  } finally {
    // Renaming does nothing if both are links to one file.
    await rm(part, { force: true });
  }
}

/** Copies a stored file, with its time, so that {@link isRight} need not read the copy again. */
async function copyFile(
  file: RowFile['file'],
  store: StoredFiles,
  target: string,
  stored: BigIntStats | undefined,
): Promise<Placed> {
  const part = partPath(target);
  try {
    const copied = await copyStored(file, store, part);
    if (copied !== 'copied') return copied;
    if (stored !== undefined) {
      const seconds = Number(stored.mtimeMs) / 1_000;
      // A disk whose files belong to another user may refuse. Then the copy must be hashed again next time.
      await utimes(part, seconds, seconds).catch(() => undefined);
    }
    await rename(part, target);
    return 'placed';
  } finally {
    await rm(part, { force: true });
  }
}
