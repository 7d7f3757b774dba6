import { chmodSync, closeSync, lstatSync, openSync } from 'node:fs';

/** What a folder or file grants to its group and to others. */
const FOR_OTHERS = 0o077;

/**
 * Creates a file for its owner alone, unless it is there: SQLite would make one that others may read, and who can read a
 * lock can hold it. Leaves it to SQLite to report a file that cannot be created.
 */
export function makePrivateFile(file: string): void {
  try {
    closeSync(openSync(file, 'wx', 0o600));
  } catch {
    // It is there, or cannot be created.
  }
}

/**
 * The first of these paths that is a symbolic link; undefined: none is. A link in a folder of somebody else leads where they like. Leaves it
 * to who opens a path to report that it cannot be looked at, such as one below a file.
 */
export function firstLink(paths: readonly string[]): string | undefined {
  return paths.find(isLink);
}

function isLink(path: string): boolean {
  try {
    return lstatSync(path).isSymbolicLink();
  } catch {
    return false;
  }
}

/** Takes a folder or file from everybody but its owner. A link keeps its mode: nobody knows what it leads to. */
export function takeFromOthers(path: string): void {
  try {
    const found = lstatSync(path);
    if (found.isSymbolicLink() || (found.mode & FOR_OTHERS) === 0) return;
    chmodSync(path, found.mode & 0o700);
  } catch {
    // Gone meanwhile, or on a file system without rights.
  }
}
