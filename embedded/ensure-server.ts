import { existsSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { probeServer } from './server-health.ts';
import { prepareDatabase, markReady, waitUntilFree } from './check-database.ts';
import { findServer } from './find-server.ts';
import type { HomePaths } from './home.ts';
import type { FindServerOptions } from './server-binary.ts';
import { isServerProcess, readServerRecord, type ServerRecord, stopServer } from './server-record.ts';
import { ServerUnavailable } from './server-unavailable.ts';
import { START_TIMEOUT_MS, startServer } from './start-server.ts';

/** How long to wait for a server whose process lives but does not answer, ms. */
const MAX_SILENCE_MS = 10_000;
/** Time limit of one request to the server, ms. */
const PROBE_TIMEOUT_MS = 5_000;
/** How long to wait until no process has the database open, ms. */
const FREE_TIMEOUT_MS = 3_000;

/** Options of {@link ensureServer}. */
export interface EnsureServerOptions extends FindServerOptions {
  /** True if no other live process uses this home's server. */
  readonly alone: boolean;
  /**
   * Called when only the wait for the server is left: its process is alive or was just started. Twice if a silent one
   * is replaced.
   */
  readonly onServer?: (() => void) | undefined;
}

/** A server that answers. */
export interface EnsuredServer {
  readonly record: ServerRecord;
  /** False if it was already running. */
  readonly started: boolean;
}

/**
 * Returns a server of this home that answers. Call it only with the starting lock held, so that nobody else starts or
 * stops one meanwhile. Throws {@link ServerUnavailable}.
 *
 * - The recorded server answers and names the cluster id of this home: use it.
 * - Its process lives but does not answer: it may still be starting, or the machine is busy, so wait for it. If it
 * stays silent, it is killed.
 * - It is dead, or there is none: once the kernel says that no process has `temporal.db` open, start a new one on the
 * same database and, if possible, the same port.
 * - It answers, but `temporal.db` was deleted under it: what it knows will be lost with it. If nobody else uses it,
 * replace it with a new one.
 */
export async function ensureServer(paths: HomePaths, options: EnsureServerOptions): Promise<EnsuredServer> {
  const { alone, env, say, signal, onServer } = options;
  const record = readServerRecord(paths);
  if (record !== undefined) {
    if (isServerProcess(paths, record.pid)) onServer?.();
    const answering = await waitForAnswer(paths, record, signal);
    if (answering !== undefined) {
      if (!alone || existsSync(paths.temporal)) {
        // Its starter may have died before it could do so.
        markReady(paths);
        return { record: answering, started: false };
      }
      say('temporal.db was deleted. Starting a new Temporal server.');
    }
    await stopServer(paths);
  }
  if (!(await waitUntilFree(paths, FREE_TIMEOUT_MS))) {
    throw new ServerUnavailable(
      `Another process has ${paths.temporal} open, and it is not the server of this folder.`,
      `End it (\`fuser ${paths.temporal}\` or \`lsof ${paths.temporal}\` names it), then run the same command again.`,
    );
  }
  const binary = await findServer(options);
  prepareDatabase(paths, binary);
  const wantedPort = record?.port;
  const samePort = !alone;
  const started = await startServer(paths, binary, { env, wantedPort, samePort, signal, onSpawn: onServer });
  markReady(paths);
  return { record: started, started: true };
}

/**
 * Waits until the recorded server answers. Returns its record, completed; undefined if it is dead, does not answer in
 * time, or another server uses its port.
 */
async function waitForAnswer(
  paths: HomePaths,
  record: ServerRecord,
  signal: AbortSignal | undefined,
): Promise<ServerRecord | undefined> {
  // A record without a cluster id belongs to a server that may still be starting.
  const end = performance.now() + (record.clusterId === undefined ? START_TIMEOUT_MS : MAX_SILENCE_MS);
  for (;;) {
    signal?.throwIfAborted();
    const answer = await probeServer(`127.0.0.1:${record.port}`, PROBE_TIMEOUT_MS);
    if (typeof answer !== 'string') {
      if (answer.clusterId === record.clusterId) return record;
      // Its starter died before it completed the record; or the port now belongs to another program.
      if (record.clusterId !== undefined || !isServerProcess(paths, record.pid)) return undefined;
      return { ...record, clusterId: answer.clusterId };
    }
    if (!isServerProcess(paths, record.pid) || performance.now() >= end) return undefined;
    await pause(50, undefined, { signal });
  }
}
