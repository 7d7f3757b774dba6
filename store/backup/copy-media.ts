import { constants, type Stats } from 'node:fs';
import { copyFile, link, lstat, mkdir, open, rename, rm, utimes } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { StoreUnwritable } from '../errors.ts';
import { Folders } from '../folders.ts';
import { newPart, PARTS_FOLDER } from '../put-in-folder.ts';
import { mediaFiles } from './media-files.ts';

/** What was found and what was done, without the marks of the store. */
export interface CopiedMedia {
  /** All files, and their length. */
  readonly files: number;
  readonly bytes: number;
  /** Those that were not there before. */
  readonly newFiles: number;
  readonly newBytes: number;
}

/** Files that are copied at the same time: each waits for its own sync. */
const AT_ONCE = 16;
/** Two times that differ by less are the same: some file systems keep even seconds only, ms. */
const SAME_MS = 2_000;

/**
 * Copies all files of one folder of media to another, each whole or not at all. A file that is there already stays, unless the
 * source has another one of its name (`replaces`). On one file system it gets a second name and takes no space, which is
 * safe because no file of a store is ever written in place; elsewhere it is copied. Files that vanish meanwhile are left out.
 * Synced when it returns. Throws {@link StoreUnwritable}.
 */
export async function copyMedia(
  from: string,
  to: string,
  { replaces }: { readonly replaces: boolean },
): Promise<CopiedMedia> {
  const copier = new Copier(from, to, replaces);
  const running = new Set<Promise<void>>();
  const errors: unknown[] = [];
  for await (const key of mediaFiles(from)) {
    const one = copier.copy(key).catch((error: unknown) => {
      errors.push(error);
    });
    const done = one.then(() => {
      running.delete(done);
    });
    running.add(done);
    if (running.size >= AT_ONCE) await Promise.race(running);
    if (errors.length > 0) break;
  }
  await Promise.all(running);
  if (errors.length > 0) throw errors[0];
  await copier.sync();
  return copier.sum;
}

class Copier {
  readonly #from: string;
  readonly #to: string;
  readonly #replaces: boolean;
  readonly #folders = new Folders();
  readonly #written = new Set<string>();
  #canLink = true;
  readonly sum = { files: 0, bytes: 0, newFiles: 0, newBytes: 0 };

  constructor(from: string, to: string, replaces: boolean) {
    this.#from = from;
    this.#to = to;
    this.#replaces = replaces;
  }

  async copy(key: string): Promise<void> {
    const [source, target] = [join(this.#from, key), join(this.#to, key)];
    const [here, there] = await Promise.all([statOf(source), statOf(target)]);
    if (here === undefined) return;
    const isThere = there !== undefined && (!this.#replaces || isSame(here, there));
    const isMark = key.startsWith('.');
    if (!isThere) {
      const isPlaced = await this.#place(source, target, here).catch((error: unknown) => {
        throw new StoreUnwritable(target, error);
      });
      if (!isPlaced || isMark) return;
      this.sum.newFiles += 1;
      this.sum.newBytes += here.size;
    }
    if (isMark) return;
    this.sum.files += 1;
    this.sum.bytes += here.size;
  }

  /** False if the source is gone. */
  async #place(source: string, target: string, { atime, mtime }: Stats): Promise<boolean> {
    const part = newPart(this.#to);
    await mkdir(join(this.#to, PARTS_FOLDER), { recursive: true, mode: 0o700 });
    try {
      if (!(await this.#link(source, part))) {
        await copyFile(source, part, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
        await utimes(part, atime, mtime);
        await syncFile(part);
      }
      await this.#folders.make(dirname(target));
      await rename(part, target);
      this.#written.add(dirname(target));
      return true;
    } catch (error) {
      const isGone = (await statOf(source)) === undefined;
      if (isGone) return false;
      throw error;
    } finally {
      await rm(part, { force: true });
    }
  }

  async #link(source: string, part: string): Promise<boolean> {
    if (!this.#canLink) return false;
    try {
      await link(source, part);
      return true;
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      // One file may have too many names; on another file system, none has a second one.
      if (code !== 'EMLINK') this.#canLink = false;
      return false;
    }
  }

  /** The names of what was written. */
  async sync(): Promise<void> {
    for (const folder of this.#written) await this.#folders.sync(folder);
  }
}

function isSame(here: Stats, there: Stats): boolean {
  if (here.ino === there.ino && here.dev === there.dev) return true;
  return here.size === there.size && Math.abs(here.mtimeMs - there.mtimeMs) < SAME_MS;
}

async function statOf(path: string): Promise<Stats | undefined> {
  const found = await lstat(path).catch((error: unknown) => {
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw new StoreUnwritable(path, error);
  });
  return found?.isFile() === true ? found : undefined;
}

async function syncFile(path: string): Promise<void> {
  const file = await open(path, 'r');
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}
