import { constants, type Stats, createReadStream } from 'node:fs';
import { copyFile, lstat, mkdir, open, rename, rm, utimes, stat } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { StoreUnwritable } from '../errors.ts';
import { Folders } from '../folders.ts';
import { newPart, PARTS_FOLDER } from '../put-in-folder.ts';
import { createHash } from 'node:crypto';
import { pipeline } from 'node:stream/promises';
import { filesBelow } from '../walk-folder.ts';

/** What was found and what was done, without the marks of the store. */
export interface CopiedMedia {
  /** All files, and their length. */
  readonly files: number;
  readonly bytes: number;
  /** Those that were not there before, or not as they are now. */
  readonly newFiles: number;
  readonly newBytes: number;
  /** Keys on record of files that were there, of which none that may take their place is as recorded. */
  readonly unfit: readonly string[];
}

export interface CopyOptions {
  /** Which of two files of one name is to be in the target, if both are as recorded. */
  readonly prefers: 'source' | 'target';
  /** What the ledger has recorded of its files. Asked only if some differ. */
  readonly named: () => Iterable<NamedContent>;
}

/** Files that are copied at the same time: each waits for its own sync. */
const AT_ONCE = 16;
/** Two times that differ by less are the same: some file systems keep even seconds only, ms. */
const SAME_MS = 2_000;

/**
 * Copies all files of one folder of media to another, each whole or not at all. A file that is there already stays,
 * unless the source has another one of its name that is as recorded, and the one that is there is not, or less
 * preferred. So a damaged file takes the place of none. Each is a file of its own, which may share its blocks with the
 * other: what writes into one in place leaves the other whole. Files that vanish meanwhile are left out. Synced when it
 * returns. Throws {@link StoreUnwritable}.
 */
export async function copyMedia(from: string, to: string, { prefers, named }: CopyOptions): Promise<CopiedMedia> {
  const copier = new Copier(from, to, prefers);
  await allOf(mediaFiles(from), (key) => copier.copy(key));
  const records = recordsOf(copier.differing, named());
  await allOf(records, ([key, known]) => copier.decide(key, known));
  await copier.sync();
  return { ...copier.sum, unfit: copier.unfit };
}

/** Does this with each of them, some at the same time. Throws the first error once nothing runs any more. */
async function allOf<T>(items: Iterable<T> | AsyncIterable<T>, work: (item: T) => Promise<void>): Promise<void> {
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
    if (running.size >= AT_ONCE) await Promise.race(running);
    if (errors.length > 0) break;
  }
  await Promise.all(running);
  if (errors.length > 0) throw errors[0];
}

class Copier {
  readonly #from: string;
  readonly #to: string;
  readonly #prefers: CopyOptions['prefers'];
  readonly #folders = new Folders();
  readonly #written = new Set<string>();
  /** Keys of files that the target has otherwise. */
  readonly differing: string[] = [];
  readonly unfit: string[] = [];
  readonly sum = { files: 0, bytes: 0, newFiles: 0, newBytes: 0 };

  constructor(from: string, to: string, prefers: CopyOptions['prefers']) {
    this.#from = from;
    this.#to = to;
    this.#prefers = prefers;
  }

  async copy(key: string): Promise<void> {
    const [source, target] = [join(this.#from, key), join(this.#to, key)];
    const [here, there] = await Promise.all([statOf(source), statOf(target)]);
    if (here === undefined) return;
    const differs = there !== undefined && !isSame(here, there);
    if (key.startsWith('.')) {
      if (there === undefined || (differs && this.#prefers === 'source')) await this.#place(key, here);
      return;
    }
    if (there === undefined && !(await this.#placeNew(key, here))) return;
    if (differs) this.differing.push(key);
    this.sum.files += 1;
    this.sum.bytes += there?.size ?? here.size;
  }

  /** Which of two files of this name stays. One that no record names is kept: nobody knows which of them is whole. */
  async decide(key: string, records: readonly NamedContent[]): Promise<void> {
    if (records.length === 0) return;
    const [source, target] = [join(this.#from, key), join(this.#to, key)];
    if (this.#prefers === 'target' && (await isOnRecord(target, records))) return;
    const [here, there] = await Promise.all([statOf(source), statOf(target)]);
    if (here === undefined || there === undefined) return;
    if (!(await isOnRecord(source, records))) this.unfit.push(key);
    else if (await this.#placeNew(key, here)) this.sum.bytes += here.size - there.size;
  }

  /** False if the source is gone. */
  async #placeNew(key: string, here: Stats): Promise<boolean> {
    if (!(await this.#place(key, here))) return false;
    this.sum.newFiles += 1;
    this.sum.newBytes += here.size;
    return true;
  }

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

  /** The names of what was written. */
  async sync(): Promise<void> {
    for (const folder of this.#written) await this.#folders.sync(folder);
  }
}

function isSame(here: Stats, there: Stats): boolean {
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

/** A file of the store as a record names it. */
interface NamedContent {
  readonly key: string;
  readonly bytes: number;
  /** Hex. */
  readonly sha256: string;
}

/** What the records say of these keys: one may be named by several, as of several times. */
function recordsOf(
  keys: Iterable<string>,
  named: Iterable<NamedContent>,
): ReadonlyMap<string, readonly NamedContent[]> {
  const records = new Map<string, NamedContent[]>();
  for (const key of keys) records.set(key, []);
  if (records.size > 0) for (const one of named) records.get(one.key)?.push(one);
  return records;
}

/** Whether a file is as one of its records says. Reads it only if its length is. False if it is gone. */
async function isOnRecord(path: string, records: readonly NamedContent[]): Promise<boolean> {
  const found = await stat(path).catch(() => undefined);
  const alike = records.filter(({ bytes }) => bytes === found?.size);
  if (alike.length === 0) return false;
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  const digest = hash.digest('hex');
  return alike.some(({ sha256 }) => sha256 === digest);
}

/**
 * The keys of all files in the folder of a store, its marks first, without those that are not whole yet. None if it is
 * missing.
 */
export async function* mediaFiles(root: string): AsyncGenerator<string, undefined> {
  const files = filesBelow(root, ({ name }, parent) => !(parent === root && name === PARTS_FOLDER));
  for await (const path of files) if (!path.endsWith('.part')) yield relative(root, path).split(sep).join('/');
}
