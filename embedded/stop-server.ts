import { setTimeout as pause } from 'node:timers/promises';
import type { HomePaths } from './home.ts';
import { isServerProcess, readServerRecord, removeServerRecord } from './server-record.ts';

/** A killed process may take this long to be gone: it waits for a disk, say. */
const PATIENCE_MS = 10_000;
const GAP_MS = 5;

/**
 * Ends the server that `server.json` names, if it is alive and of this home, and removes the record. Only to be called
 * with the starting lock held.
 *
 * It is killed. Asked to end, it takes 1 to 3 s, for which the last command of a home would wait; and nothing is gained: what it has
 * acknowledged is in its database, which is made to survive the death of its process.
 */
export async function stopServer(paths: HomePaths): Promise<void> {
  const record = readServerRecord(paths);
  if (record !== undefined) {
    const end = performance.now() + PATIENCE_MS;
    sendKill(paths, record.pid);
    while (isServerProcess(paths, record.pid)) {
      // Not even a kill helps while the kernel waits for a broken disk. The record stays, for whoever comes next.
      if (performance.now() > end) return;
      await pause(GAP_MS);
    }
  }
  removeServerRecord(paths);
}

/** The same without a wait, for a process that ends at once. Only to be called with the starting lock held. */
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
    // It ended in this very moment.
  }
}
