import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import * as z from 'zod';
import { printedBy } from './child-process.ts';
import type { HomePaths } from './home.ts';

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
  try {
    return serverRecord.parse(JSON.parse(readFileSync(paths.serverRecord, 'utf8')));
  } catch {
    // A broken record is as good as none: temporal.db tells whether a server runs.
    return undefined;
  }
}

/** Writes `server.json` atomically. */
export function writeServerRecord(paths: HomePaths, record: ServerRecord): void {
  const part = `${paths.serverRecord}.part`;
  writeFileSync(part, `${JSON.stringify(record)}\n`, { mode: 0o600 });
  renameSync(part, paths.serverRecord);
}

export function removeServerRecord(paths: HomePaths): void {
  rmSync(paths.serverRecord, { force: true });
}

/**
 * True if the process is alive and is the server of this home. Pids are reused after a reboot, or sooner, so this
 * checks the process's command line, which names the database file.
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
    return printedBy('ps', ['-ww', '-o', 'command=', '-p', String(pid)], process.env);
  } catch {
    return '';
  }
}
