import { lstat, opendir, rm, rmdir } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import type { MeasuredFile } from './store.ts';

/** The names of all files below a folder, relative to `root`, with `/`; none if there is no such folder. */
export async function* filesBelow(root: string, folder: string): AsyncGenerator<string, undefined> {
  const entries = await opendir(join(root, folder), { recursive: true }).catch(ifAbsent);
  if (entries === undefined) return;
  for await (const entry of entries) {
    if (entry.isFile()) yield relative(root, join(entry.parentPath, entry.name)).split(sep).join('/');
  }
}

/** The length of a file, and how many names it has; undefined if it is not there. */
export async function measureFile(path: string): Promise<MeasuredFile | undefined> {
  const stats = await lstat(path).catch(ifAbsent);
  return stats?.isFile() === true
    ? { id: `${stats.dev}:${stats.ino}`, bytes: stats.size, names: stats.nlink }
    : undefined;
}

/** Removes a file, and the folders up to `root` that are empty without it. One that is not there is as good as removed. */
export async function removeFile(root: string, path: string): Promise<void> {
  await rm(path, { force: true });
  for (let folder = dirname(path); folder !== root; folder = dirname(folder)) {
    // Other files are in it, or another process was faster.
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
