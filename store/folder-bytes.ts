import { filesBelow, ifAbsent } from './walk-folder.ts';
import { copyFile, lstat, open, opendir, readdir, rm, rmdir, stat } from 'node:fs/promises';
import { dirname, join, relative, resolve, sep } from 'node:path';
import type { Bytes } from './bytes.ts';
import { Folders, onDisk } from './folders.ts';
import { claimFolder, claimFolderId, type OwnedFolder, requireStillThere } from './owner-file.ts';
import { newPart, PARTS_FOLDER, putBody, putPart, removePart } from './put-in-folder.ts';
import { reuseFile } from './reuse.ts';
import type { MeasuredFile } from './store.ts';

/** A part file unchanged for this long is abandoned, in ms: a request lasts 3 minutes at most. */
const PART_AGE_MS = 3_600_000;

/**
 * Opens a store in a folder. The folder is created when it is first claimed or written to, so that readers leave none
 * behind. Several processes may use it at once, even on a shared disk.
 *
 * If a claimed folder disappears (moved, unmounted), it is neither recreated nor treated as having lost its files,
 * because the results would then be paid for again. All operations throw `StoreUnwritable` instead.
 */
export function openFolderBytes(path: string): Bytes & { readonly folder: OwnedFolder } {
  const root = resolve(path);
  const folders = new Folders();
  const folder: { readonly root: string; owner?: string } = { root };
  return {
    folder,
    parts: folder,
    claim: async (owner) => {
      await folders.make(root);
      folder.owner = owner;
      return claimFolder(root, owner);
    },
    claimId: (id) => claimFolderId(root, id),
    requireStillThere: () => requireStillThere(folder),
    put: async (key, { from }) => {
      if (typeof from !== 'string') return putBody(folder, key, Buffer.from(from));
      const part = newPart(root);
      try {
        await folders.within(dirname(part), folder, () => onDisk(part, () => copyFile(from, part)));
        await putPart(folder, key, part);
      } finally {
        await removePart(part);
      }
    },
    read: async (key, range) =>
      (await open(join(root, key), 'r')).createReadStream(range && { start: range.first, end: range.last }),
    lease: async (key) => {
      const found = await measureFile(join(root, key));
      return found && { path: join(root, key), release: () => Promise.resolve() };
    },
    copy: async (file, key) => {
      const stem = key.slice(0, -`.${file.extension}`.length);
      return (await reuseFile({ ...folder, file, stem, parts: join(root, PARTS_FOLDER) })).type;
    },
    stat: (key) => measureFile(join(root, key)),
    list: (prefix) => filesFrom(root, prefix),
    folders: (prefix) => foldersFrom(root, prefix),
    remove: async (keys) => {
      for (const key of keys) await removeFile(root, join(root, key));
    },
    sweep: () => sweep(root),
    close: () => Promise.resolve(),
  };
}

/** Removes abandoned part files. */
async function sweep(root: string): Promise<void> {
  const before = Date.now() - PART_AGE_MS;
  const folder = join(root, PARTS_FOLDER);
  // A symbolic link may come from somebody else's folder, and its target is not ours to remove.
  if ((await lstat(folder).catch(() => undefined))?.isDirectory() !== true) return;
  const names = await readdir(folder).catch(() => []);
  for (const name of names) {
    const path = join(folder, name);
    // Another process may sweep too, or finish this file, at the same moment. A file that stays does no harm.
    const found = await stat(path).catch(() => undefined);
    if (found !== undefined && found.mtimeMs < before) await rm(path, { force: true }).catch(() => undefined);
  }
}

/**
 * Lists the files with this prefix, as paths relative to `root` with `/`. Enters subfolders only if the prefix ends in
 * `/`. Nothing if there is no such folder.
 */
async function* filesFrom(root: string, prefix: string): AsyncGenerator<string, undefined> {
  const isDeep = prefix.endsWith('/');
  const folder = prefix.slice(0, prefix.lastIndexOf('/') + 1);
  for await (const path of filesBelow(join(root, folder), () => isDeep)) {
    const key = relative(root, path).split(sep).join('/');
    if (key.startsWith(prefix)) yield key;
  }
}

/** Lists the names of the top-level folders with this prefix, without that of part files. */
async function* foldersFrom(root: string, prefix: string): AsyncGenerator<string, undefined> {
  const entries = await opendir(root).catch(ifAbsent);
  if (entries === undefined) return;
  for await (const entry of entries)
    if (entry.isDirectory() && entry.name !== PARTS_FOLDER && entry.name.startsWith(prefix)) yield entry.name;
}

/** Reads what is known of a file; undefined if it is missing, or no regular file. */
async function measureFile(path: string): Promise<MeasuredFile | undefined> {
  const stats = await lstat(path).catch(ifAbsent);
  return stats?.isFile() === true
    ? { id: `${stats.dev}:${stats.ino}`, bytes: stats.size, names: stats.nlink, writtenAt: stats.mtimeMs }
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
