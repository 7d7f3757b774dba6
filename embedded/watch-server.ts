import { copyFileSync, statSync, truncateSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { askServer, doesListen } from './ask-server.ts';
import type { HomePaths } from './home.ts';

const GAP_MS = 1_000;
/** A process that listens may still hang, which only a request reveals; send one every so many checks. */
const ASK_EVERY = 10;
const ASK_TIMEOUT_MS = 5_000;
/** Unanswered requests in a row that make a server count as hung: half a minute. A laptop's sleep does not count. */
const SILENT_LIMIT = 3;
const LONGEST_RETRY_MS = 15_000;
/** A log is truncated at this size; one older part is kept. */
const LOG_LIMIT_BYTES = 16 * 1024 * 1024;

export interface WatchOptions {
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
  for (let look = 1; ; look += 1) {
    const retry = Math.min(GAP_MS * 2 ** failures, LONGEST_RETRY_MS);
    try {
      await pause(retry, undefined, { signal, ref: false });
    } catch {
      return;
    }
    let trouble = (await doesListen(address, GAP_MS)) ? undefined : 'has died';
    if (trouble === undefined && look % ASK_EVERY === 0) {
      silent = typeof (await askServer(address, ASK_TIMEOUT_MS)) === 'string' ? silent + 1 : 0;
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
      say(`The restart failed; trying again: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
}

/** A function, because the compiler assumes that a property once false stays false. */
function isAborted(signal: AbortSignal): boolean {
  return signal.aborted;
}

/** Truncates a log if it is too long; whoever writes it appends, and so continues at its new end. */
export function limitLog(file: string, limitBytes = LOG_LIMIT_BYTES): void {
  try {
    if (statSync(file).size <= limitBytes) return;
    copyFileSync(file, `${file}.1`);
    truncateSync(file, 0);
  } catch {
    // No log, or no space: neither is a reason to stop watching.
  }
}
