import { setTimeout as sleep } from 'node:timers/promises';
import { lockAgainstWorkers, lockForWorkers, type WorkersLock } from '../database/lock-for-workers.ts';
import type { LockMethods, Unlock } from '../driver.ts';
import { LedgerUnreachable } from '../errors.ts';
import { describePlace } from './describe-place.ts';
import { LockSession, PROBING, type Probing } from './lock-session.ts';

/** How long to wait before a lost lock is tried again, ms. */
const TRY_AGAIN_MS = 1_000;
/** How long to wait before a lock that another has is asked for again, ms. */
const GAP_MS = 100;

/**
 * The locks of a ledger: advisory locks, each held by a connection of its own, which ends with its process. `probing`: how a
 * connection is tried that holds one.
 */
export function advisoryLocks(place: string, probing: Probing = PROBING): LockMethods {
  let hasConnected = false;
  const open: Open = async (onLost) => {
    const session = await LockSession.open(place, probing, hasConnected, onLost);
    hasConnected = true;
    return session;
  };
  return {
    lockForWorkers: (server, onLost) => lockAgainAndAgain(open, place, server, onLost),
    lockAgainstWorkers: async () => lockAgainstWorkers(workersLock(await open()), describePlace(place)),
    isWorkedOn: () => isWorkedOn(open),
    lockForLoading: () => lockAlone(open, 'loading'),
    lockForFiles: () => lockAlone(open, 'files'),
  };
}

type Open = (onLost?: () => void) => Promise<LockSession>;

/** Takes the workers' lock, and again whenever its connection was lost. */
async function lockAgainAndAgain(
  open: Open,
  place: string,
  server: string,
  onLost: (error: Error) => void = () => undefined,
): Promise<Unlock> {
  let isReleased = false;
  const isOver = (): boolean => isReleased;
  const take = async (): Promise<Unlock> => {
    // One that is lost before it has the lock fails here, and whoever waits for it tries again.
    let isTaken = false;
    const session = await open(() => {
      if (isTaken) void takeAgain();
    });
    try {
      await refusePooler(open, session, place);
    } catch (error) {
      session.close();
      throw error;
    }
    const unlock = await lockForWorkers(workersLock(session), describePlace(place), server);
    isTaken = true;
    return unlock;
  };
  const takeAgain = async (): Promise<void> => {
    while (!isOver()) {
      try {
        release = await take();
        if (isOver()) release();
        return;
      } catch (error) {
        // Whoever had it waits for whatever can be mended, also by a person alone.
        if (!(error instanceof LedgerUnreachable)) {
          onLost(error as Error);
          return;
        }
        await sleep(TRY_AGAIN_MS, undefined, { ref: false });
      }
    }
  };
  let release = await take();
  return () => {
    isReleased = true;
    release();
  };
}

/** A pooler that gives a connection to whoever has a statement would give away the locks with it. */
async function refusePooler(open: Open, session: LockSession, place: string): Promise<void> {
  const other = await open();
  try {
    if ((await session.backend()) !== (await other.backend())) return;
  } finally {
    other.close();
  }
  throw new LedgerUnreachable(
    describePlace(place),
    'a pooler in transaction mode is between, which would give away the locks of a session',
    'Connect to the server itself, or through a pooler in session mode.',
  );
}

function workersLock(session: LockSession): WorkersLock {
  return {
    tryAlone: () => session.ask('pg_try_advisory_lock', 'workers'),
    releaseAlone: () => session.ask('pg_advisory_unlock', 'workers').then(() => undefined),
    tryShared: () => session.ask('pg_try_advisory_lock_shared', 'workers'),
    releaseShared: () => session.ask('pg_advisory_unlock_shared', 'workers').then(() => undefined),
    readNote: () => session.noted(),
    writeNote: (server) => session.note(server),
    close: session.close,
  };
}

async function isWorkedOn(open: Open): Promise<boolean> {
  const session = await open();
  try {
    return await session.isHeld('workers');
  } finally {
    session.close();
  }
}

/** Asks again and again: a statement that waits in the server would not notice that the line to it is cut. */
async function lockAlone(open: Open, name: string): Promise<Unlock> {
  const session = await open();
  try {
    while (!(await session.ask('pg_try_advisory_lock', name))) await sleep(GAP_MS);
    return session.close;
  } catch (error) {
    session.close();
    throw error;
  }
}
