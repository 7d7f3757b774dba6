import { relative, sep } from 'node:path';
import { PARTS_FOLDER } from '../put-in-folder.ts';
import { filesBelow } from '../walk-folder.ts';

/**
 * The keys of all files in the folder of a store, its marks first, without those that are not whole yet. None if it is
 * missing.
 */
export async function* mediaFiles(root: string): AsyncGenerator<string, undefined> {
  const files = filesBelow(root, ({ name }, parent) => !(parent === root && name === PARTS_FOLDER));
  for await (const path of files) if (!path.endsWith('.part')) yield relative(root, path).split(sep).join('/');
}
