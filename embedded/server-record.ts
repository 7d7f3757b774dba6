import { orElse } from '../contract/or-else.ts';
import * as z from 'zod';
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { captureOutput } from './child-process.ts';
import type { HomePaths } from './home.ts';
import { setTimeout as pause } from 'node:timers/promises';

const serverRecord = z.object({
  pid: z.int().positive(),
  /** On 127.0.0.1. */
  port: z.int().min(1).max(65_535),
  /** Server version, e.g. `1.29.1`. */
  version: z.string(),
  /** ISO 8601. */
  startedAt: z.string(),
  /** Id that Temporal keeps in `temporal.db`; missing until the server has first answered. */
  clusterId: z.string().optional(),
});

/** Content of `server.json`: the server last started in this home. It may be dead. */
export type ServerRecord = z.infer<typeof serverRecord>;

/** Reads `server.json`; undefined if it is missing or invalid. */
export function readServerRecord(paths: HomePaths): ServerRecord | undefined {
  // A broken record is as good as none: temporal.db tells whether a server runs.
  return orElse(() => serverRecord.parse(JSON.parse(readFileSync(paths.serverRecord, 'utf8'))), undefined);
}

/** Writes `server.json` atomically. */
export function writeServerRecord(paths: HomePaths, record: ServerRecord): void {
  const part = `${paths.serverRecord}.part`;
  writeFileSync(part, `${JSON.stringify(record)}\n`, { mode: 0o600 });
  renameSync(part, paths.serverRecord);
}

function removeServerRecord(paths: HomePaths): void {
  rmSync(paths.serverRecord, { force: true });
}

/**
 * Returns whether the process is alive and is the server of this home. Pids are reused after a reboot, or sooner, so
 * this checks the process's command line, which names the database file.
 */
export function isServerProcess(paths: HomePaths, pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  // A zombie process has an empty command line, so it correctly counts as dead.
  return commandLineOf(pid).includes(paths.temporal);
}

function commandLineOf(pid: number): string {
  try {
    if (process.platform === 'linux') return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
    return captureOutput('ps', ['-ww', '-o', 'command=', '-p', String(pid)], process.env);
  } catch {
    return '';
  }
}

/** How long to wait for a killed process to disappear, ms: it may be waiting for a disk. */
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
