import { orElse } from '../contract/or-else.ts';
import { messageOf } from '../contract/message-of.ts';
import { readFileSync, writeFileSync, copyFileSync, statSync, truncateSync } from 'node:fs';
import { type HomePaths, makeHome } from './home.ts';
import { lockExclusively, KernelLock, type WaitForLock } from './kernel-lock.ts';
import { ServerUnavailable } from './server-unavailable.ts';
import type { FindServerOptions } from './server-binary.ts';
import { killServer, stopServer } from './server-record.ts';
import { ensureServer } from './ensure-server.ts';
import { setTimeout as pause } from 'node:timers/promises';
import { probeServer, isListening } from './probe-server.ts';

/** Options of {@link joinServer}. */
export interface JoinOptions extends FindServerOptions {
  /** The folder. It is created if needed. */
  readonly home: string;
  /** Called once the server runs or its process has started, so that only the wait remains. */
  readonly onServer?: () => void;
}

/** A process's share in the server of a home. */
export interface Membership {
  /** `127.0.0.1:port`. Does not change as long as there are members, even if the server restarts. */
  readonly address: string;
  readonly namespace: 'default';
  /** True if no other live process uses this home, so activities that earlier processes had started are abandoned. */
  readonly alone: boolean;
  /** Checks `alone` again, because others may have joined since. */
  proveAlone(): Promise<boolean>;
  /** Server version, e.g. `1.29.1`. */
  readonly version: string;
  /** Leaves; the last one out stops the server. May be called again; never throws. */
  leave(): Promise<void>;
  /** Leaves at once, for a process that is about to exit: the last one out kills the server. Never throws. */
  leaveAtOnce(): void;
}

/** When leaving, wait this long for the starting lock, in ms; then leave the server to the next command. */
const LEAVE_TIMEOUT_MS = 15_000;

/**
 * Joins the embedded Temporal server of a home: uses the running one, or starts it. Throws {@link ServerUnavailable}.
 *
 * Two file locks (see `kernel-lock.ts`), not pids or timeouts, show which processes are alive:
 *
 * - Whoever joins, leaves or restores the server holds `starting.lock` exclusively. So these happen one after the
 * other.
 * - Every live member shares `lock`. A joiner first tries to lock it exclusively: if that works, all earlier members
 * are dead, and the activities that they had started are abandoned. A leaver releases its share and tries the same: if
 * that works it is the last one, and stops the server.
 *
 * A member that is killed loses its share at that moment. Its server lives on, and the next command finds it in
 * `server.json`. If the server is killed, its members restore it on the same address.
 */
export async function joinServer(options: JoinOptions): Promise<Membership> {
  const { env, say, signal, onServer } = options;
  const paths = makeHome(options.home);
  const members = new KernelLock(paths.membersLock);
  const onSlow = (): void => {
    say(whoIsStarting(paths));
  };
  try {
    const { alone, record } = await withStartingLock(paths, { signal, onSlow }, async () => {
      const isAlone = takeShare(members, paths);
      try {
        return { alone: isAlone, ...(await ensureServer(paths, { env, say, signal, alone: isAlone, onServer })) };
      } catch (error) {
        // Do not leave half a start behind, as after Ctrl-C.
        members.release();
        if (members.tryExclusive()) await stopServer(paths);
        throw error;
      }
    });
    const address = `127.0.0.1:${record.port}`;
    const ending = new AbortController();
    const restore = async (): Promise<void> => {
      await withStartingLock(paths, { signal: ending.signal }, async () => {
        await ensureServer(paths, { env, say, signal: ending.signal, alone: false });
      });
    };
    const watching = watchServer(paths, { address, restore, say, signal: ending.signal });
    const leaveOnce = async (): Promise<void> => {
      ending.abort();
      await watching;
      await leave(paths, members, say);
    };
    let left: Promise<void> | undefined;
    return {
      address,
      namespace: 'default',
      alone,
      proveAlone: () => withStartingLock(paths, {}, () => Promise.resolve(takeShare(members, paths))),
      version: record.version,
      leave: () => (left ??= leaveOnce()),
      leaveAtOnce: () => {
        leaveAtOnce(paths, members);
      },
    };
  } catch (error) {
    members.close();
    throw error;
  }
}

/**
 * Takes a share, releasing an earlier one first, and returns whether it is the only one. Call it only with the starting
 * lock held, so that nobody else takes one meanwhile.
 */
function takeShare(members: KernelLock, paths: HomePaths): boolean {
  members.release();
  const isAlone = members.tryExclusive();
  members.release();
  if (members.tryShared()) return isAlone;
  throw new ServerUnavailable(
    `The lock ${paths.membersLock} is held by a process that does not share it.`,
    'Is it open in another program? Close that, then run the same command again.',
  );
}

/** Releases the share, and stops the server if no other member is left. Never throws. */
async function leave(paths: HomePaths, members: KernelLock, say: (line: string) => void): Promise<void> {
  try {
    await withStartingLock(paths, { timeoutMs: LEAVE_TIMEOUT_MS }, async () => {
      members.release();
      if (members.tryExclusive()) await stopServer(paths);
    });
  } catch (error) {
    say(`The Temporal server is left running: ${messageOf(error)}`);
  } finally {
    members.close();
  }
}

/** The same without waiting: kills the server. Does nothing if another process is joining or leaving. */
function leaveAtOnce(paths: HomePaths, members: KernelLock): void {
  try {
    const starting = new KernelLock(paths.startingLock);
    // The holder is joining or leaving and takes care of the server; it may be this process's own orderly leave.
    if (!starting.tryExclusive()) return;
    members.release();
    if (members.tryExclusive()) killServer(paths);
    starting.close();
  } catch {
    // The process ends in any case; the next command finds the server by its record.
  }
}

/** Runs an action with the starting lock held. Throws {@link ServerUnavailable} if that cannot be acquired in time. */
async function withStartingLock<T>(paths: HomePaths, wait: WaitForLock, action: () => Promise<T>): Promise<T> {
  const starting = new KernelLock(paths.startingLock);
  try {
    if (!(await lockExclusively(starting, wait))) {
      throw new ServerUnavailable(
        `Process ${readStartingOwner(paths)} holds ${paths.startingLock}.`,
        'The next command in this folder takes the server over.',
      );
    }
    try {
      writeFileSync(paths.startingOwner, `${process.pid}\n`, { mode: 0o600 });
    } catch {
      // Only for messages; a full disk must not keep anybody from leaving.
    }
    return await action();
  } finally {
    starting.close();
  }
}

function whoIsStarting(paths: HomePaths): string {
  return `Waiting for process ${readStartingOwner(paths)}, which is starting or stopping the Temporal server in ${paths.home}.`;
}

function readStartingOwner(paths: HomePaths): string {
  return orElse(() => readFileSync(paths.startingOwner, 'utf8').trim(), '(unknown)');
}

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
async function watchServer(paths: HomePaths, options: WatchOptions): Promise<void> {
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
