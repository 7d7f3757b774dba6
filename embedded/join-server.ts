import { readFileSync, writeFileSync } from 'node:fs';
import type { FindServerOptions } from './find-server.ts';
import { type HomePaths, makeHome } from './home.ts';
import { lockExclusively, KernelLock, type WaitForLock } from './kernel-lock.ts';
import { ServerUnavailable } from './server-unavailable.ts';
import { killServer, stopServer } from './stop-server.ts';
import { takeServer } from './take-server.ts';
import { watchServer } from './watch-server.ts';

export interface JoinOptions extends FindServerOptions {
  /** The folder, see `homeOf`. It is created if needed. */
  readonly home: string;
  /** Called once the server runs, or its process has been started: all that is left is to wait. */
  readonly onServer?: () => void;
}

/** A process's share in the server of a home. */
export interface Membership {
  /** `127.0.0.1:port`. Stays the same as long as there are members, also when the server is restarted. */
  readonly address: string;
  readonly namespace: 'default';
  /** True when no other live process was in this home: everything that older processes had begun is dead. */
  readonly alone: boolean;
  /** Asks again, since others may have joined. Nobody joins or leaves meanwhile. */
  proveAlone(): Promise<boolean>;
  /** Of the server, e.g. `1.29.1`. */
  readonly version: string;
  /** Leaves; the last one out stops the server. May be called again; never throws. */
  leave(): Promise<void>;
  /** Leaves at once, for a process that is about to exit: the last one out kills the server. Never throws. */
  leaveAtOnce(): void;
}

/** Leaving gives up on the starting lock after this long, in ms, and leaves the server to the next command. */
const LEAVE_TIMEOUT_MS = 15_000;

/**
 * Joins the embedded Temporal server of a home: uses the one that runs, or starts it. Throws {@link ServerUnavailable}.
 *
 * Who is there is known from two locks that the kernel keeps (see `kernel-lock.ts`), not from pids and not from times:
 *
 * - `starting.lock` is held alone by whoever joins, leaves or restores the server. So all of this happens one after
 *   the other.
 * - `lock` is shared by every live member. A joiner first tries to have it alone: if that works, everybody who was ever
 *   here is dead, and what they had begun is nobody's. A leaver gives up its share and tries the same: if that works it is
 *   the last one, and stops the server.
 *
 * A member that is killed loses its share at that moment. Its server lives on, for the next one to find in
 * `server.json`. A server that is killed is restored by its members, on the same address.
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
        return { alone: isAlone, ...(await takeServer(paths, { env, say, signal, alone: isAlone, onServer })) };
      } catch (error) {
        // Half a start must not stay behind, as after Ctrl-C.
        members.release();
        if (members.tryAlone()) await stopServer(paths);
        throw error;
      }
    });
    const address = `127.0.0.1:${record.port}`;
    const ending = new AbortController();
    const restore = async (): Promise<void> => {
      await withStartingLock(paths, { signal: ending.signal }, async () => {
        await takeServer(paths, { env, say, signal: ending.signal, alone: false });
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
 * Takes a share, anew if there is one already, and returns whether it is the only one. Only to be called with the starting lock held: so
 * nobody else takes one meanwhile.
 */
function takeShare(members: KernelLock, paths: HomePaths): boolean {
  members.release();
  const isAlone = members.tryAlone();
  members.release();
  if (members.tryShared()) return isAlone;
  throw new ServerUnavailable(
    `The lock ${paths.membersLock} is held by a process that does not share it.`,
    'Is it open in another program? Close that, then run the same command again.',
  );
}

async function leave(paths: HomePaths, members: KernelLock, say: (line: string) => void): Promise<void> {
  try {
    await withStartingLock(paths, { timeoutMs: LEAVE_TIMEOUT_MS }, async () => {
      members.release();
      if (members.tryAlone()) await stopServer(paths);
    });
  } catch (error) {
    say(`The Temporal server is left running: ${error instanceof Error ? error.message : String(error)}`);
  } finally {
    members.close();
  }
}

function leaveAtOnce(paths: HomePaths, members: KernelLock): void {
  try {
    const starting = new KernelLock(paths.startingLock);
    // Whoever holds it comes or goes, and sees to the server; that may be our own orderly leaving.
    if (!starting.tryAlone()) return;
    members.release();
    if (members.tryAlone()) killServer(paths);
    starting.close();
  } catch {
    // The process ends in any case; whoever comes next finds the server by its record.
  }
}

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
      writeFileSync(paths.startingOwner, `${process.pid}\n`);
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
  try {
    return readFileSync(paths.startingOwner, 'utf8').trim();
  } catch {
    return '(unknown)';
  }
}
