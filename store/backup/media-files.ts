import { opendir } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { PARTS_FOLDER } from '../put-in-folder.ts';

/** The keys of all files in the folder of a store, its marks first, without those that are not whole yet. None if it is missing. */
export async function* mediaFiles(root: string): AsyncGenerator<string, undefined> {
  const folders = [root];
  for (let folder = folders.shift(); folder !== undefined; folder = folders.shift()) {
    const entries = await opendir(folder).catch(ifAbsent);
    if (entries === undefined) continue;
    for await (const entry of entries) {
      const path = join(folder, entry.name);
      if (entry.isDirectory() && !(folder === root && entry.name === PARTS_FOLDER)) folders.push(path);
      if (entry.isFile() && !entry.name.endsWith('.part')) yield relative(root, path).split(sep).join('/');
    }
  }
}

function ifAbsent(error: NodeJS.ErrnoException): undefined {
  if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined;
  throw error;
}
