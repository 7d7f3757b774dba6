import { setTimeout as pause } from 'node:timers/promises';
import type { HomePaths } from './home.ts';
import { isServerProcess, readServerRecord, removeServerRecord } from './server-record.ts';

/** A server that was asked to end is killed after this long, in ms. It takes 2 to 3 s; a kill loses nothing either. */
const GRACE_MS = 5_000;
const GAP_MS = 50;

/**
 * Ends the server that `server.json` names, if it is alive and of this home, and removes the record. Only to be called
 * with the starting lock held.
 */
export async function stopServer(paths: HomePaths): Promise<void> {
  const record = readServerRecord(paths);
  if (record !== undefined) {
    const end = performance.now() + GRACE_MS;
    let sent: NodeJS.Signals | undefined;
    while (isServerProcess(paths, record.pid)) {
      const overdue = performance.now() - end;
      // Not even a kill helps while the kernel waits for a broken disk. The record stays, for whoever comes next.
      if (overdue > GRACE_MS) return;
      const wanted = overdue < 0 ? 'SIGTERM' : 'SIGKILL';
      if (sent !== wanted) sendSignal(record.pid, wanted);
      sent = wanted;
      await pause(GAP_MS);
    }
  }
  removeServerRecord(paths);
}

/**
 * The same without a wait, for a process that ends at once: a kill, which loses nothing. Only to be called with the starting
 * lock held.
 */
export function killServer(paths: HomePaths): void {
  const record = readServerRecord(paths);
  if (record !== undefined && isServerProcess(paths, record.pid)) sendSignal(record.pid, 'SIGKILL');
  removeServerRecord(paths);
}

function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It ended in this very moment.
  }
}
