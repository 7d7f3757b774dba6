import { join } from 'node:path';
import { statsOf } from './files.ts';

/** A folder, a pipe or a device has the name of one of our files: replacing it loses it or fails halfway, reading it may never end. */
export class NotAFile extends Error {
  readonly path: string;

  constructor(path: string) {
    super(notAFileWords(path));
    this.name = 'NotAFile';
    this.path = path;
  }
}

/** Explains why nothing takes the place of a folder or a pipe; a sentence without its full stop. */
export function notAFileWords(path: string): string {
  return `${path} is no file, so nothing can be written in its place`;
}

/** Throws {@link NotAFile} for the first of these names of a folder that is there and no file. */
export async function requireFiles(folder: string, names: readonly string[]): Promise<void> {
  for (const name of names) {
    const path = join(folder, name);
    if ((await statsOf(path))?.isFile() === false) throw new NotAFile(path);
  }
}
