import Database from 'libsql';
import { closeSync, fsyncSync, openSync, rmSync } from 'node:fs';

/**
 * Copies a database, as of one moment, to the new file `into`, readable only by its owner, and syncs it. Others may
 * write meanwhile. Leaves no file if it fails.
 */
export function copyWhole(path: string, into: string): void {
  rmSync(into, { force: true });
  // Created first, because SQLite would create it readable for others.
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

/** Syncs a file; or a folder, so that names of new files in it are durable. */
export function syncPath(path: string): void {
  const file = openSync(path, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
