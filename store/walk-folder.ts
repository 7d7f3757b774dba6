import type { Dirent } from 'node:fs';
import { opendir } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * The paths of all files below a folder, folder by folder; none if it is missing. Follows no symbolic link. Each folder
 * is opened by itself: Node 20's `opendir` with `recursive` lists only the first 32 files of a folder below.
 *
 * @param enters whether to look into a folder that was found; default: into each
 */
export async function* filesBelow(
  root: string,
  enters: (entry: Dirent, parent: string) => boolean = () => true,
): AsyncGenerator<string, undefined> {
  const folders = [root];
  for (let folder = folders.shift(); folder !== undefined; folder = folders.shift()) {
    const entries = await opendir(folder).catch(ifAbsent);
    if (entries === undefined) continue;
    for await (const entry of entries) {
      const path = join(folder, entry.name);
      if (entry.isDirectory() && enters(entry, folder)) folders.push(path);
      if (entry.isFile()) yield path;
    }
  }
}

/** Turns the error that there is no such file or folder into undefined; throws any other. */
export function ifAbsent(error: NodeJS.ErrnoException): undefined {
  if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined;
  throw error;
}
