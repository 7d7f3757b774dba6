import { orElse } from '../contract/or-else.ts';
import { chmodSync, closeSync, lstatSync, mkdirSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/** Permission bits for group and others. */
const FOR_OTHERS = 0o077;

/**
 * Creates a file readable only by its owner, unless it exists. SQLite would create one that others can read, and anyone
 * who can read a lock file can hold the lock. If creation fails, SQLite will report it.
 */
export function makePrivateFile(file: string): void {
  try {
    closeSync(openSync(file, 'wx', 0o600));
  } catch {
    // It exists, or cannot be created.
  }
}

/**
 * Creates a folder and its missing parents, for their owner only. Node's `recursive` option hangs where no folder can
 * be created, such as in `/proc`, and says of a read-only disk that there is no such folder.
 */
export function makePrivateFolder(path: string): void {
  if (isFolder(path)) return;
  const above = dirname(path);
  if (above !== path) makePrivateFolder(above);
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    // Another process may have been faster.
    if (!isFolder(path)) throw error;
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

/**
 * Returns the first of these paths that is a symbolic link; undefined if none is. A link in somebody else's folder
 * leads wherever they like. Paths that cannot be examined, such as one below a file, are left for the opener to report.
 */
export function firstLink(paths: readonly string[]): string | undefined {
  return paths.find((path) => orElse(() => lstatSync(path).isSymbolicLink(), false));
}

/**
 * Removes access to a folder or file for everybody but its owner. A symbolic link is left alone, because its target is
 * unknown.
 */
export function removeOtherAccess(path: string): void {
  try {
    const found = lstatSync(path);
    if (found.isSymbolicLink() || (found.mode & FOR_OTHERS) === 0) return;
    chmodSync(path, found.mode & 0o700);
  } catch {
    // It is gone, or the file system has no permissions.
  }
}

/**
 * Returns whether an owner (uid) counts as another user than `me`. Root does not: it can read everything anyway, and
 * owns many mounted volumes.
 */
export function isOtherUser(owner: number, me: number): boolean {
  return owner !== me && owner !== 0 && me !== 0;
}
