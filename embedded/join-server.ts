import { orElse } from '../contract/or-else.ts';
import { messageOf } from '../contract/message-of.ts';
import { readFileSync, writeFileSync } from 'node:fs';
import { type HomePaths, makeHome } from './home.ts';
import { lockExclusively, KernelLock, type WaitForLock } from './kernel-lock.ts';
import { ServerUnavailable } from './server-unavailable.ts';
import type { FindServerOptions } from './server-binary.ts';
import { killServer, stopServer } from './server-record.ts';
import { ensureServer, type EnsuredServer } from './ensure-server.ts';
import { watchServer } from './server-health.ts';

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
  const { env, say } = options;
  const paths = makeHome(options.home);
  const members = new KernelLock(paths.membersLock);
  try {
    const { alone, record } = await enter(paths, members, options);
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

/** Takes a share, and finds or starts the server. */
async function enter(
  paths: HomePaths,
  members: KernelLock,
  { env, say, signal, onServer }: JoinOptions,
): Promise<Pick<Membership, 'alone'> & Pick<EnsuredServer, 'record'>> {
  const onSlow = (): void => {
    say(whoIsStarting(paths));
  };
  return withStartingLock(paths, { signal, onSlow }, async () => {
    const alone = takeShare(members, paths);
    try {
      return { alone, ...(await ensureServer(paths, { env, say, signal, alone, onServer })) };
    } catch (error) {
      // Do not leave half a start behind, as after Ctrl-C.
      members.release();
      if (members.tryExclusive()) await stopServer(paths);
      throw error;
    }
  });
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
