import { setTimeout as pause } from 'node:timers/promises';
import type { HomePaths } from './home.ts';
import { isServerProcess, readServerRecord, removeServerRecord } from './server-record.ts';

/** A killed process may take this long to disappear, if it waits for a disk, say. */
const PATIENCE_MS = 10_000;
const GAP_MS = 5;

/**
 * Kills the server named in `server.json`, if it is alive and belongs to this home, and removes the record. Call it
 * only with the starting lock held.
 *
 * A graceful stop takes 1 to 3 s, for which the last command of a home would have to wait, and gains nothing: what the
 * server has acknowledged is in its database, which survives the death of its process.
 */
export async function stopServer(paths: HomePaths): Promise<void> {
  const record = readServerRecord(paths);
  if (record !== undefined) {
    const end = performance.now() + PATIENCE_MS;
    sendKill(paths, record.pid);
    while (isServerProcess(paths, record.pid)) {
      // Even a kill does not help while the kernel waits for a broken disk. The record stays for the next command.
      if (performance.now() > end) return;
      await pause(GAP_MS);
    }
  }
  removeServerRecord(paths);
}

/** The same without waiting, for a process that ends at once. Call it only with the starting lock held. */
export function killServer(paths: HomePaths): void {
  const record = readServerRecord(paths);
  if (record !== undefined) sendKill(paths, record.pid);
  removeServerRecord(paths);
}

function sendKill(paths: HomePaths, pid: number): void {
  if (!isServerProcess(paths, pid)) return;
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has just ended.
  }
}
