import { createHash, randomUUID } from 'node:crypto';
import { constants, copyFileSync, fsync, closeSync, linkSync, openSync, readSync } from 'node:fs';
import { realpathSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { Folders, onDisk } from './folders.ts';
import type { OwnedFolder } from './owner-file.ts';
import type { KeptFile, Reused } from './store.ts';

/** A job of a media thread: store a file of this folder again under another stem. */
export interface ReuseJob extends OwnedFolder {
  readonly file: KeptFile;
  readonly stem: string;
  /** Folder for part files. */
  readonly parts: string;
}

/** Bytes read at once. */
const PIECE_BYTES = 1024 ** 2;
const syncFile = promisify(fsync);
const folders = new Folders();

/**
 * Gives a stored file a second name, if it still matches its record. Makes the hard link first, under the name of a
 * part file, and verifies the content through it: what happens to the first name meanwhile has no effect. If the disk
 * refuses a hard link (too many links to one file, for example), the file is copied. Throws `StoreUnwritable`.
 */
export async function reuseFile(job: ReuseJob): Promise<Reused> {
  const { root, file, stem, parts } = job;
  const source = await onDisk(root, () => findFile(join(root, file.key)));
  if (typeof source !== 'string') return source;
  const part = join(parts, `${randomUUID()}.part`);
  const key = `${stem}.${file.extension}`;
  const path = join(root, key);
  try {
    const made = await folders.within(parts, job, () => onDisk(part, () => linkOrCopy(source, part)));
    if (made === 'missing') return { type: 'missing' };
    const found = await onDisk(part, () => readThrough(part, made === 'copied'));
    if (found?.bytes !== file.bytes || found.sha256 !== file.sha256) return { type: 'altered' };
    await folders.within(dirname(path), job, () =>
      onDisk(path, () => {
        // If the name is already a link to this file, this does nothing, and the part file is removed below.
        renameSync(part, path);
        return folders.sync(dirname(path));
      }),
    );
    return { type: 'reused', file: { ...file, key } };
  } finally {
    rmSync(part, { force: true });
  }
}

/**
 * Returns the path of a file with symbolic links resolved, because a hard link to a symbolic link would follow later
 * changes of its target.
 */
function findFile(path: string): string | Exclude<Reused, { type: 'reused' }> {
  try {
    const real = realpathSync(path);
    return statSync(real).isFile() ? real : { type: 'altered' };
  } catch (error) {
    if (!hasCode(error, ['ENOENT', 'ENOTDIR', 'ELOOP'])) throw error;
    return { type: 'missing' };
  }
}

function hasCode(error: unknown, codes: readonly string[]): boolean {
  return codes.includes((error as NodeJS.ErrnoException).code ?? '');
}

/** Makes a hard link to a file, or else a copy. */
function linkOrCopy(source: string, part: string): 'linked' | 'copied' | 'missing' {
  try {
    linkSync(source, part);
    return 'linked';
  } catch (error) {
    if (isAbsent(error, source)) return 'missing';
  }
  try {
    copyFileSync(source, part, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
    return 'copied';
  } catch (error) {
    if (isAbsent(error, source)) return 'missing';
    throw error;
  }
}

/** Whether an error says that the source is missing, rather than the folder of the part file. */
function isAbsent(error: unknown, source: string): boolean {
  if ((error as NodeJS.ErrnoException).code !== 'ENOENT') return false;
  try {
    closeSync(openSync(source, 'r'));
    return false;
  } catch (found) {
    return (found as NodeJS.ErrnoException).code === 'ENOENT';
  }
}

/**
 * Measures and hashes a file; a new copy is synced, too. Undefined if the disk cannot read it: this file is then
 * unusable, but others may be fine.
 */
async function readThrough(path: string, isNew: boolean): Promise<{ bytes: number; sha256: string } | undefined> {
  const opened = openSync(path, 'r');
  try {
    const hash = createHash('sha256');
    const piece = Buffer.alloc(PIECE_BYTES);
    let bytes = 0;
    for (let read = readSync(opened, piece); read > 0; read = readSync(opened, piece)) {
      hash.update(piece.subarray(0, read));
      bytes += read;
    }
    if (isNew) await syncFile(opened);
    return { bytes, sha256: hash.digest('hex') };
  } catch (error) {
    if (!hasCode(error, ['EIO'])) throw error;
    return undefined;
  } finally {
    closeSync(opened);
  }
}
