import Database from 'libsql';
import { closeSync, fsyncSync, openSync, rmSync } from 'node:fs';

/**
 * Copies a database as of one moment to a new file, for its owner alone, and syncs it. Others may write meanwhile; what
 * they commit later is not in it. Leaves no file if it fails.
 */
export function copyWhole(path: string, into: string): void {
  rmSync(into, { force: true });
  // Made by us first, so that it is for its owner alone.
  closeSync(openSync(into, 'wx', 0o600));
  const reader = new Database(path, { readonly: true });
  try {
    reader.prepare('vacuum into ?').run([into]);
    syncPath(into);
  } catch (error) {
    rmSync(into, { force: true });
    throw error;
  } finally {
    reader.close();
  }
}

/** Syncs a file, or the names in a folder. */
export function syncPath(path: string): void {
  const file = openSync(path, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
