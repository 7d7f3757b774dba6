import { copyFileSync, statSync, truncateSync } from 'node:fs';
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { messageOf } from '../contract/message-of.ts';
import type { ServerAnswer } from './contact-server.ts';
import type { HomePaths } from './home.ts';

/* Whether the embedded server is alive: single probes, and the watch by which its members restore it. */

/** Interval between two checks whether the server listens, and timeout of one, ms. */
const GAP_MS = 1_000;
/** Every this many checks also sends a request, because a process that listens may still hang. */
const PROBE_EVERY = 10;
const PROBE_TIMEOUT_MS = 5_000;
/** Unanswered requests in a row after which a server counts as hung: half a minute. A laptop's sleep does not count. */
const SILENT_LIMIT = 3;
/** Longest pause between two tries to restore a server, ms. */
const MAX_RETRY_MS = 15_000;
/** Size at which a log is truncated; one older part is kept. */
const LOG_LIMIT_BYTES = 16 * 1024 * 1024;

/** Options of {@link watchServer}. */
interface WatchOptions {
  readonly address: string;
  readonly say: (line: string) => void;
  /** Brings the server back on the same address; nothing happens if another member has done so already. */
  readonly restore: () => Promise<void>;
  /** Ends the watch. */
  readonly signal: AbortSignal;
}

/**
 * Watches a running server until the signal, and restores it if it dies or hangs, retrying until that works. Every
 * member watches; the starting lock lets one of them restore. Never throws.
 */
export async function watchServer(paths: HomePaths, options: WatchOptions): Promise<void> {
  const { address, restore, say, signal } = options;
  let silent = 0;
  let failures = 0;
  for (let check = 1; ; check += 1) {
    const retry = Math.min(GAP_MS * 2 ** failures, MAX_RETRY_MS);
    try {
      await pause(retry, undefined, { signal, ref: false });
    } catch {
      return;
    }
    let trouble = (await isListening(address, GAP_MS)) ? undefined : 'has died';
    if (trouble === undefined && check % PROBE_EVERY === 0) {
      silent = typeof (await probeServer(address, PROBE_TIMEOUT_MS)) === 'string' ? silent + 1 : 0;
      if (silent >= SILENT_LIMIT) trouble = 'does not answer any more';
      for (const log of [paths.serverLog, paths.workerLog, paths.upLog]) limitLog(log);
    }
    if (trouble === undefined) {
      failures = 0;
      continue;
    }
    if (signal.aborted) return;
    if (failures === 0) say(`The Temporal server ${trouble}: restarting it. The batch continues.`);
    try {
      await restore();
      say('The Temporal server runs again.');
      failures = 0;
      silent = 0;
    } catch (error) {
      if (isAborted(signal)) return;
      failures += 1;
      say(`The restart failed; trying again: ${messageOf(error)}`);
    }
  }
}

/** Reads `signal.aborted`, of which the compiler would otherwise assume that it is still false. */
function isAborted(signal: AbortSignal): boolean {
  return signal.aborted;
}

/** Truncates a log above `limitBytes`. Its writers append, so they continue at its new end. Never throws. */
export function limitLog(file: string, limitBytes = LOG_LIMIT_BYTES): void {
  try {
    if (statSync(file).size <= limitBytes) return;
    copyFileSync(file, `${file}.1`);
    truncateSync(file, 0);
  } catch {
    // No log, or no space: neither is a reason to stop watching.
  }
}

/**
 * Returns a server's identity if it answers within `timeoutMs` and its namespace is usable; otherwise an error message.
 * Never rejects.
 */
export async function probeServer(address: string, timeoutMs: number): Promise<ServerAnswer | string> {
  // Loaded lazily: the client loads slowly and must not delay the start of a server.
  const { contactServer } = await import('./contact-server.ts');
  return contactServer(address, timeoutMs);
}

/**
 * Returns whether a TCP connection succeeds. Even so the server may hang: the kernel accepts connections for a hung
 * process, too.
 */
export function isListening(address: string, timeoutMs: number): Promise<boolean> {
  const { hostname, port } = new URL(`tcp://${address}`);
  return new Promise((resolve) => {
    const socket = connect({ host: hostname, port: Number(port), timeout: timeoutMs });
    const end = (listens: boolean): void => {
      socket.destroy();
      resolve(listens);
    };
    socket.once('connect', () => {
      end(true);
    });
    socket.once('timeout', () => {
      end(false);
    });
    socket.once('error', () => {
      end(false);
    });
  });
}
