import { constants, type Stats, createReadStream } from 'node:fs';
import { copyFile, lstat, mkdir, open, rename, rm, utimes, stat } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { StoreUnwritable } from '../errors.ts';
import { Folders } from '../folders.ts';
import { newPart, PARTS_FOLDER } from '../put-in-folder.ts';
import { createHash } from 'node:crypto';
import { pipeline } from 'node:stream/promises';
import { filesBelow } from '../walk-folder.ts';

/**
 * The media files that {@link copyMedia} found and copied; the store's own files (`.ledger`, `.store`) are not counted.
 */
export interface CopiedMedia {
  /** All files of the source, as the target has them now, and their bytes. */
  readonly files: number;
  readonly bytes: number;
  /** Files that the target lacked, or had with other content, and their bytes. */
  readonly newFiles: number;
  readonly newBytes: number;
  /**
   * Keys of recorded files that differ between the folders, where the source's file does not match its record either.
   * The target's file stayed.
   */
  readonly damaged: readonly string[];
}

/** Options of {@link copyMedia}. */
export interface CopyOptions {
  /** Which of two files of one name the target gets, if both match a record. */
  readonly prefers: 'source' | 'target';
  /** Returns the ledger's records of its files. Called only if some files differ. */
  readonly records: () => Iterable<RecordedFile>;
}

/** Files copied at the same time, since each waits for its own sync. */
const FILES_AT_ONCE = 16;
/** Times that differ by less than this count as the same, ms: some file systems keep only even seconds. */
const TIME_TOLERANCE_MS = 2_000;

/**
 * Copies all files of a media folder to another one, for a backup or a restore. Each is copied completely or not at
 * all.
 *
 * A file of the target stays, unless the source's file of that name differs, matches its record, and either the
 * target's file does not, or the source is preferred. So a damaged file never replaces another. Copies are separate
 * files (which may share blocks on disk), so that a program that writes into one does not change the other. Files that
 * are removed meanwhile are left out. All is synced when it returns. Throws {@link StoreUnwritable}.
 */
export async function copyMedia(from: string, to: string, { prefers, records }: CopyOptions): Promise<CopiedMedia> {
  const copier = new Copier(from, to, prefers);
  await forEachAtOnce(mediaFiles(from), (key) => copier.copy(key));
  const byKey = recordsOf(copier.differing, records());
  await forEachAtOnce(byKey, ([key, known]) => copier.decide(key, known));
  await copier.sync();
  return { ...copier.sum, damaged: copier.damaged };
}

/** Runs `work` on each item, {@link FILES_AT_ONCE} at a time. Throws the first error once nothing runs any more. */
async function forEachAtOnce<T>(
  items: Iterable<T> | AsyncIterable<T>,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const running = new Set<Promise<void>>();
  const errors: unknown[] = [];
  for await (const item of items) {
    const one = work(item).catch((error: unknown) => {
      errors.push(error);
    });
    const done = one.then(() => {
      running.delete(done);
    });
    running.add(done);
    if (running.size >= FILES_AT_ONCE) await Promise.race(running);
    if (errors.length > 0) break;
  }
  await Promise.all(running);
  if (errors.length > 0) throw errors[0];
}

/** Copies files from one media folder to another, and counts them. */
class Copier {
  readonly #from: string;
  readonly #to: string;
  readonly #prefers: CopyOptions['prefers'];
  readonly #folders = new Folders();
  /** Folders of the target that got files. */
  readonly #written = new Set<string>();
  /** Keys of files whose size or time differs in the target. */
  readonly differing: string[] = [];
  readonly damaged: string[] = [];
  readonly sum = { files: 0, bytes: 0, newFiles: 0, newBytes: 0 };

  constructor(from: string, to: string, prefers: CopyOptions['prefers']) {
    this.#from = from;
    this.#to = to;
    this.#prefers = prefers;
  }

  /** Copies a file that the target lacks, or notes that it differs there. */
  async copy(key: string): Promise<void> {
    const [source, target] = [join(this.#from, key), join(this.#to, key)];
    const [here, there] = await Promise.all([statOf(source), statOf(target)]);
    if (here === undefined) return;
    const differs = there !== undefined && !isSame(here, there);
    // The store's own files have no records.
    if (key.startsWith('.')) {
      if (there === undefined || (differs && this.#prefers === 'source')) await this.#place(key, here);
      return;
    }
    if (there === undefined && !(await this.#placeNew(key, here))) return;
    if (differs) this.differing.push(key);
    this.sum.files += 1;
    this.sum.bytes += there?.size ?? here.size;
  }

  /**
   * Decides about a file that differs in the target. Without a record of it, the target's stays: either may be damaged.
   */
  async decide(key: string, records: readonly RecordedFile[]): Promise<void> {
    if (records.length === 0) return;
    const [source, target] = [join(this.#from, key), join(this.#to, key)];
    if (this.#prefers === 'target' && (await isOnRecord(target, records))) return;
    const [here, there] = await Promise.all([statOf(source), statOf(target)]);
    if (here === undefined || there === undefined) return;
    if (!(await isOnRecord(source, records))) this.damaged.push(key);
    else if (await this.#placeNew(key, here)) this.sum.bytes += here.size - there.size;
  }

  /** Copies a media file, and counts it. False if the source is gone. */
  async #placeNew(key: string, here: Stats): Promise<boolean> {
    if (!(await this.#place(key, here))) return false;
    this.sum.newFiles += 1;
    this.sum.newBytes += here.size;
    return true;
  }

  /** Copies a file by way of a part file. False if the source is gone. */
  async #place(key: string, { atime, mtime }: Stats): Promise<boolean> {
    const [source, target] = [join(this.#from, key), join(this.#to, key)];
    const part = newPart(this.#to);
    try {
      await mkdir(join(this.#to, PARTS_FOLDER), { recursive: true, mode: 0o700 });
      await copyFile(source, part, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
      await utimes(part, atime, mtime);
      await syncFile(part);
      await this.#folders.make(dirname(target));
      await rename(part, target);
      this.#written.add(dirname(target));
      return true;
    } catch (error) {
      const isGone = (await statOf(source)) === undefined;
      if (isGone) return false;
      throw new StoreUnwritable(target, error);
    } finally {
      await rm(part, { force: true });
    }
  }

  /** Makes the names of all copies survive a power cut. */
  async sync(): Promise<void> {
    for (const folder of this.#written) await this.#folders.sync(folder);
  }
}

/** Whether two files of one name look the same, by size and time of change. */
function isSame(here: Stats, there: Stats): boolean {
  return here.size === there.size && Math.abs(here.mtimeMs - there.mtimeMs) < TIME_TOLERANCE_MS;
}

/** Returns facts of a regular file; undefined if there is none. */
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

/** A file of the store as the ledger records it. */
interface RecordedFile {
  readonly key: string;
  readonly bytes: number;
  /** Hex. */
  readonly sha256: string;
}

/** Returns the records of these keys. Some keys have several, from different times. */
function recordsOf(
  keys: Iterable<string>,
  records: Iterable<RecordedFile>,
): ReadonlyMap<string, readonly RecordedFile[]> {
  const byKey = new Map<string, RecordedFile[]>();
  for (const key of keys) byKey.set(key, []);
  if (byKey.size > 0) for (const record of records) byKey.get(record.key)?.push(record);
  return byKey;
}

/** Whether a file matches one of its records. Reads it only if its length matches. False if it is gone. */
async function isOnRecord(path: string, records: readonly RecordedFile[]): Promise<boolean> {
  const found = await stat(path).catch(() => undefined);
  const alike = records.filter(({ bytes }) => bytes === found?.size);
  if (alike.length === 0) return false;
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  const digest = hash.digest('hex');
  return alike.some(({ sha256 }) => sha256 === digest);
}

/**
 * Yields the keys of all files in a store's folder, without part files. The store's own files (`.ledger`, `.store`)
 * come first. Nothing if the folder is missing.
 */
export async function* mediaFiles(root: string): AsyncGenerator<string, undefined> {
  const files = filesBelow(root, ({ name }, parent) => !(parent === root && name === PARTS_FOLDER));
  for await (const path of files) if (!path.endsWith('.part')) yield relative(root, path).split(sep).join('/');
}
