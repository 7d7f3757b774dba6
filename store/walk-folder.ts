import type { Dirent } from 'node:fs';
import { opendir } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Yields the paths of all files below a folder; none if it is missing. Follows no symbolic links. Opens each folder
 * separately, because Node 20's `opendir` with `recursive` lists only the first 32 files of a subfolder.
 *
 * @param enters decides whether to read a subfolder; default: all
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

/** Returns undefined for the error that there is no such file or folder; throws any other. For `catch`. */
export function ifAbsent(error: NodeJS.ErrnoException): undefined {
  if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined;
  throw error;
}
