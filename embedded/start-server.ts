import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync, readFileSync, renameSync } from 'node:fs';
import { createServer } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { probeServer, isListening } from './server-health.ts';
import { startChild } from './child-process.ts';
import type { HomePaths } from './home.ts';
import type { ServerBinary } from './server-binary.ts';
import { readServerRecord, type ServerRecord, writeServerRecord } from './server-record.ts';
import { ServerUnavailable, adviceFor } from './server-unavailable.ts';

/** Time limit for a server's first answer, in ms; 0.5 s is usual, a loaded machine takes longer. */
export const START_TIMEOUT_MS = 60_000;

const PROBE_TIMEOUT_MS = 5_000;
const LISTEN_TIMEOUT_MS = 1_000;
/** Interval between readiness checks, in ms. */
const GAP_MS = 10;

/**
 * The only host that the server's HTTP API accepts, which no request can name because Go rejects a `Host` with braces.
 * The API cannot be switched off, and any valid host, even a local one, would let a web page in, because a cross-origin
 * form post needs no consent from the server.
 */
const NO_HOST = '{nobody}';

/**
 * A server's default rate limits suit a shared one; this one has a single user. One partition per task queue means
 * fewer hops on a small machine. With `synchronous=NORMAL` a power cut may undo the server's last acknowledged writes.
 * That costs nothing, because only the ledger is trusted, and saves a file sync at each commit. The version check is
 * off because it would call a Temporal host, and Nexus because its routes in the HTTP API skip the host check.
 */
const SETTINGS: readonly string[] = [
  ...['journal_mode=WAL', 'synchronous=NORMAL'].flatMap((pragma) => ['--sqlite-pragma', pragma]),
  ...[
    'frontend.enableServerVersionCheck=false',
    `frontend.httpAllowedHosts=["${NO_HOST}"]`,
    'system.enableNexus=false',
    'frontend.rps=100000',
    'frontend.namespaceRPS=100000',
    'frontend.namespaceRPS.visibility=1000',
    'frontend.persistenceMaxQPS=10000',
    'history.rps=100000',
    'history.persistenceMaxQPS=45000',
    'matching.rps=100000',
    'matching.persistenceMaxQPS=45000',
    'matching.numTaskqueueReadPartitions=1',
    'matching.numTaskqueueWritePartitions=1',
  ].flatMap((setting) => ['--dynamic-config-value', setting]),
];

/**
 * Writes `server.json`, then becomes the server: `exec` keeps the pid. So the record names every running server at
 * every moment, even if the process that started it is killed in between. Arguments: the rest of the record, the
 * record's file, the command. Its files are accessible only to its user.
 */
const LAUNCH = `umask 077 && printf '{"pid":%d,%s\\n' "$$" "$1" > "$2.part" && mv -f "$2.part" "$2" && shift 2 && exec "$@"`;

/** Options of {@link startServer}. */
export interface StartOptions {
  readonly env: NodeJS.ProcessEnv;
  /** Port of the last server in this home, so that clients with its address reconnect by themselves. */
  readonly wantedPort: number | undefined;
  /** True if live members use that port, so that no other will do. */
  readonly samePort: boolean;
  readonly signal?: AbortSignal | undefined;
  /** Called once the server's process exists. */
  readonly onSpawn?: (() => void) | undefined;
}

/**
 * Starts a server in this home and waits until it is ready. Call it only with the starting lock held and the database
 * free. Throws {@link ServerUnavailable}. The server outlives this process, and ignores the terminal's Ctrl-C because
 * it has its own session.
 */
export async function startServer(
  paths: HomePaths,
  binary: ServerBinary,
  options: StartOptions,
): Promise<ServerRecord> {
  const port = await choosePort(options);
  if (existsSync(paths.serverLog)) renameSync(paths.serverLog, `${paths.serverLog}.1`);
  // Append mode, so that after the log is truncated, the running server continues at its new end.
  const log = openSync(paths.serverLog, 'a', 0o600);
  const rest = `"port":${port},"version":"${binary.version}","startedAt":"${new Date().toISOString()}"}`;
  const command = [binary.path, 'server', 'start-dev', '--headless', '--ip', '127.0.0.1', '--port', String(port)];
  const child = startChild(
    'sh',
    ['-c', LAUNCH, 'sh', rest, paths.serverRecord, ...command, '--db-filename', paths.temporal, ...SETTINGS],
    { cwd: paths.home, detached: true, env: options.env, stdio: ['ignore', log, log] },
  );
  closeSync(log);
  child.unref();
  options.onSpawn?.();
  try {
    await waitUntilReady(paths, port, child, options.signal);
  } catch (error) {
    // Kill it by its process handle, because it may not have written its record yet.
    await killGroup(child);
    throw error;
  }
  const record = readServerRecord(paths);
  if (record === undefined) throw new ServerUnavailable(`${paths.serverRecord} is gone.`, adviceFor(''));
  return record;
}

/** Kills a process and what it has started, such as the shell's `mv`. When it resolves, they write nothing more. */
async function killGroup(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  child.ref();
  const ended = once(child, 'exit');
  // It leads a process group of its own.
  process.kill(-child.pid, 'SIGKILL');
  await ended;
}

/**
 * Waits until the server named in `server.json` is ready, and completes the record. Throws {@link ServerUnavailable}
 * with the end of the server's log.
 */
async function waitUntilReady(
  paths: HomePaths,
  port: number,
  child: ChildProcess,
  signal: AbortSignal | undefined,
): Promise<void> {
  const end = performance.now() + START_TIMEOUT_MS;
  let died: string | undefined;
  child.once('error', (error) => (died = error.message));
  child.once('exit', (code, killer) => (died = `it ended with ${killer ?? `code ${String(code)}`}`));
  for (;;) {
    signal?.throwIfAborted();
    const address = `127.0.0.1:${port}`;
    const listens = died === undefined && (await isListening(address, LISTEN_TIMEOUT_MS));
    const answer = died ?? (listens ? await probeServer(address, PROBE_TIMEOUT_MS) : 'it does not listen yet');
    if (typeof answer !== 'string') {
      const record = readServerRecord(paths);
      if (record?.port === port) writeServerRecord(paths, { ...record, clusterId: answer.clusterId });
      return;
    }
    if (died !== undefined || performance.now() >= end) {
      const tail = readTail(paths.serverLog);
      const how =
        died === undefined ? `does not answer after ${START_TIMEOUT_MS / 1000} s: ${answer}` : `did not start: ${died}`;
      throw new ServerUnavailable(
        `The Temporal server ${how}. The end of ${paths.serverLog}:\n${tail}`,
        adviceFor(`${died ?? ''} ${tail}`),
      );
    }
    await pause(GAP_MS);
  }
}

function readTail(file: string): string {
  try {
    return readFileSync(file, 'utf8').trimEnd().slice(-2_000) || '(empty)';
  } catch (error) {
    return `(can't be read: ${String(error)})`;
  }
}

/**
 * We choose ports below the range for outgoing connections (32768 and up on Linux, 49152 on macOS). In that range, an
 * outgoing connection could take a dead server's port before its restart.
 */
const FIRST_PORT = 20_000;
const PORTS = 12_000;

async function choosePort(options: StartOptions): Promise<number> {
  const { wantedPort, samePort } = options;
  if (wantedPort !== undefined && (samePort || (await isFree(wantedPort)))) return wantedPort;
  for (let tries = 0; tries < 50; tries += 1) {
    const port = FIRST_PORT + Math.floor(Math.random() * PORTS);
    if (await isFree(port)) return port;
  }
  throw new ServerUnavailable(
    `No free port on 127.0.0.1 between ${FIRST_PORT} and ${FIRST_PORT + PORTS - 1}.`,
    'Check whether programs may listen on 127.0.0.1.',
  );
}

/** True if nobody listens on this port of 127.0.0.1. */
function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => {
      resolve(false);
    });
    probe.listen(port, '127.0.0.1', () => {
      probe.close(() => {
        resolve(true);
      });
    });
  });
}
