import { lstat, open, readdir, rm, stat, opendir, rmdir } from 'node:fs/promises';
import { join, relative, resolve, dirname, sep } from 'node:path';
import type { Readable } from 'node:stream';
import { UnsafeName } from './errors.ts';
import { Folders } from './folders.ts';
import { JOIN, KEEP, REUSE, SECONDS, startMediaThreads, type MediaThreads } from './media-threads.ts';
import { newPart, PARTS_FOLDER } from './media-work.ts';
import { claimFolder, requireStillThere } from './owner-file.ts';
import { receiveBody } from './receive-body.ts';
import { findFfmpeg } from './sound/find-ffmpeg.ts';
import type { Expectation, Persist, Store, StoredFile, MeasuredFile } from './store.ts';

/** A part file unchanged for this long is abandoned, in ms: a request lasts 3 minutes at most. */
const PART_AGE_MS = 3_600_000;

/** Options of a store in a folder. */
export interface FolderStoreOptions {
  /** Max threads that check large media, besides the one for small files; each starts when there is work. Default 2. */
  readonly threads?: number;
  /**
   * Compiled `media-thread.ts`. Default: found beside the running code; if there is none, the calling thread does the
   * work.
   */
  readonly threadEntry?: URL;
  /** Length of a second of a media job's deadline, in ms. Default 1,000; tests use shorter ones. */
  readonly secondMs?: number;
  /** Environment in which `findFfmpeg` looks, once files are to be finished. Default: an empty one. */
  readonly env?: NodeJS.ProcessEnv;
}

/**
 * Opens a store in a folder. The folder is created when first claimed or written to, so that readers leave none behind.
 * Several processes may use it at once, even on a shared disk.
 *
 * If a claimed folder disappears (moved, unmounted), it is neither recreated nor treated as having lost its files,
 * because then the results would be paid for again. All operations throw `StoreUnwritable` instead.
 */
export function openFolderStore(folder: string, options: FolderStoreOptions = {}): Store {
  const root = resolve(folder);
  const folders = new Folders();
  const place: Place = {
    store: { root },
    folders,
    threads: startMediaThreads(options.threads ?? 2, options.threadEntry, options.secondMs),
  };
  return {
    claim: async (owner) => {
      await folders.make(root);
      place.store.owner = owner;
      return claimFolder(root, owner);
    },
    write: (stem, body, expectation, onReceived, persist) =>
      write(place, { stem, body, expectation, onReceived, persist }),
    find: async (stem, { family, extension }) => {
      checkNames(root, stem, extension);
      const expectation = { family, ...(extension === undefined ? {} : { extension }) };
      const found = await place.threads.run(KEEP, { ...place.store, stem, expectation, from: undefined });
      if (found === undefined) await requireStillThere(place.store);
      return found;
    },
    reuse: async (file, stem) => {
      checkNames(root, stem, file.extension);
      pathOf(root, file.key);
      const parts = join(root, PARTS_FOLDER);
      const reused = await place.threads.run(REUSE, { ...place.store, file, stem, parts });
      if (reused.type === 'missing') await requireStillThere(place.store);
      return reused;
    },
    seconds: ({ key, ...file }) => place.threads.run(SECONDS, { ...file, path: pathOf(root, key) }),
    join: async (files, stem) => {
      checkNames(root, stem);
      for (const { key } of files) pathOf(root, key);
      const joined = await place.threads.run(JOIN, { ...place.store, files, stem });
      if (joined.type === 'damaged') await requireStillThere(place.store);
      return joined;
    },
    ffmpeg: () => findFfmpeg(options.env ?? {}),
    read: async (key) => (await open(pathOf(root, key), 'r')).createReadStream(),
    pathOf: (key) => pathOf(root, key),
    list: (folder) => filesBelow(root, relative(root, pathOf(root, folder))),
    measure: (keys) => Promise.all(keys.map((key) => measureFile(pathOf(root, key)))),
    remove: async (keys) => {
      for (const key of keys) await removeFile(root, pathOf(root, key));
    },
    sweep: () => sweep(root),
    close: () => place.threads.close(),
  };
}

interface Place {
  /** `owner` is absent until it is claimed. */
  readonly store: { readonly root: string; owner?: string };
  readonly folders: Folders;
  readonly threads: MediaThreads;
}

/** The arguments of {@link Store.write}. */
interface Writing {
  readonly stem: string;
  readonly body: Readable | Buffer;
  readonly expectation: Expectation;
  readonly onReceived: (() => void | Promise<void>) | undefined;
  readonly persist: Persist | undefined;
}

async function write(
  { store, folders, threads }: Place,
  { stem, body, expectation, onReceived, persist }: Writing,
): Promise<StoredFile> {
  try {
    checkNames(store.root, stem, expectation.extension);
  } catch (error) {
    if (!Buffer.isBuffer(body)) body.destroy();
    throw error;
  }
  const path = newPart(store.root);
  const received = await receiveBody(body, expectation, { path, store, folders, persist });
  await onReceived?.();
  const keep = (): Promise<StoredFile | undefined> => threads.run(KEEP, { ...store, stem, expectation, ...received });
  const isPart = received.from === path;
  const stored = await (isPart && persist !== undefined ? persist(keep) : keep()).catch(async (error: unknown) => {
    if (isPart) await rm(path, { force: true }).catch(() => undefined);
    throw error;
  });
  if (stored === undefined) throw new Error(`Expected ${stem} to be stored, but it was not.`);
  return stored;
}

async function sweep(root: string): Promise<void> {
  const before = Date.now() - PART_AGE_MS;
  const folder = join(root, PARTS_FOLDER);
  // A symbolic link may come from somebody else's folder, and its target is not ours to remove.
  if ((await lstat(folder).catch(() => undefined))?.isDirectory() !== true) return;
  const names = await readdir(folder).catch(() => []);
  for (const name of names) {
    const path = join(folder, name);
    // Another process may sweep, or finish its file, at the same moment. A file that cannot be removed now does no
    // harm.
    const found = await stat(path).catch(() => undefined);
    if (found !== undefined && found.mtimeMs < before) await rm(path, { force: true }).catch(() => undefined);
  }
}

/** Path of a stem or key, which must lie inside the store. */
function pathOf(root: string, name: string): string {
  const isSafe =
    !/[\0\\]/.test(name) && name.split('/').every((segment) => segment !== '' && segment !== '.' && segment !== '..');
  if (!isSafe) throw new UnsafeName(name);
  return join(root, name);
}

function checkNames(root: string, stem: string, extension?: string): void {
  pathOf(root, stem);
  if (extension === undefined) return;
  if (!/^[a-z0-9]+$/.test(extension) || extension === 'part') throw new UnsafeName(`.${extension}`);
}

/** The names of all files below a folder, relative to `root`, with `/`; none if there is no such folder. */
async function* filesBelow(root: string, folder: string): AsyncGenerator<string, undefined> {
  const entries = await opendir(join(root, folder), { recursive: true }).catch(ifAbsent);
  if (entries === undefined) return;
  for await (const entry of entries) {
    if (entry.isFile()) yield relative(root, join(entry.parentPath, entry.name)).split(sep).join('/');
  }
}

/** A file's length and link count; undefined if it is missing. */
async function measureFile(path: string): Promise<MeasuredFile | undefined> {
  const stats = await lstat(path).catch(ifAbsent);
  return stats?.isFile() === true
    ? { id: `${stats.dev}:${stats.ino}`, bytes: stats.size, names: stats.nlink }
    : undefined;
}

/** Removes a file, and any folders up to `root` that become empty. A missing file counts as removed. */
async function removeFile(root: string, path: string): Promise<void> {
  await rm(path, { force: true });
  for (let folder = dirname(path); folder !== root; folder = dirname(folder)) {
    // The folder is not empty, or another process removed it first.
    const isGone = await rmdir(folder).then(
      () => true,
      () => false,
    );
    if (!isGone) return;
  }
}

function ifAbsent(error: NodeJS.ErrnoException): undefined {
  if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined;
  throw error;
}
