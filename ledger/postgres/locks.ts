import { setTimeout as sleep } from 'node:timers/promises';
import { lockAgainstWorkers, lockForWorkers, UNNAMED, type WorkersLock } from '../database/lock-for-workers.ts';
import type { Locks, Unlock } from '../driver.ts';
import { LedgerAway, LedgerUnreachable } from '../errors.ts';
import { Outage } from '../../store/outage.ts';
import { describePlace } from './describe-place.ts';
import { LockSession, PROBING, type Probing } from './lock-session.ts';

/** Pause between two tries to take a lock, ms. */
const GAP_MS = 100;

/**
 * The locks of a ledger in PostgreSQL: advisory locks, each held by its own connection, which ends with its process.
 * `probing`: how often these connections are probed.
 */
export function advisoryLocks(place: string, probing: Probing = PROBING): Locks {
  let hasConnected = false;
  const open: Open = async (onLost) => {
    const session = await LockSession.open(place, probing, hasConnected, onLost);
    hasConnected = true;
    return session;
  };
  const missing = new Set<Promise<void>>();
  const outage = new Outage(0, (error) => {
    if (error instanceof LedgerAway) return { problem: error.message, needsPerson: error.needsPerson };
    // A process that has lost a lock waits for everything that a person can fix.
    const isWaitedFor = missing.size > 0 && error instanceof LedgerUnreachable;
    return isWaitedFor ? { problem: error.message, needsPerson: true } : undefined;
  });
  return {
    lockForWorkers: (server, onLost) => lockAgainAndAgain({ open, place, outage, missing }, server, onLost),
    lockAgainstWorkers: () =>
      outage.repeat(async () => lockAgainstWorkers(workersLock(await open()), describePlace(place))),
    isWorkedOn: async () => (await outage.repeat(() => workersServer(open))) !== undefined,
    workersServer: () => outage.repeat(() => workersServer(open)),
    lockForLoading: () => outage.repeat(() => lockExclusively(open, 'loading')),
    lockForFiles: () => outage.repeat(() => lockExclusively(open, 'files')),
    remote: { outage },
    whenHeld: async () => {
      for (const retaken of missing) await retaken;
    },
  };
}

/** Opens a connection for a lock. */
type Open = (onLost?: () => void) => Promise<LockSession>;

interface LockPlace {
  readonly open: Open;
  readonly place: string;
  readonly outage: Outage;
  /** For each workers' lock that was lost: resolves once it is held again. */
  readonly missing: Set<Promise<void>>;
}

/** Takes the workers' lock, and takes it again whenever its connection is lost. */
async function lockAgainAndAgain(
  { open, place, outage, missing }: LockPlace,
  server: string,
  onLost: (error: Error) => void = () => undefined,
): Promise<Unlock> {
  let isReleased = false;
  const take = async (): Promise<Unlock> => {
    // A connection that is lost earlier makes `lockForWorkers` fail, and `outage` retries.
    let isTaken = false;
    const session = await open(() => {
      if (isTaken) takeAgain();
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
  const takeAgain = (): void => {
    const retaken = outage
      .repeat(async () => {
        if (!isReleased) release = await take();
        // It may have been released while it was being taken again.
        if (isReleased) release();
      })
      .then(() => {
        missing.delete(retaken);
      });
    missing.add(retaken);
    retaken.catch((error: unknown) => {
      if (!isReleased) onLost(error as Error);
    });
  };
  let release = await outage.repeat(take);
  return () => {
    isReleased = true;
    release();
  };
}

/**
 * Throws if a pooler in transaction mode is between: it would share the server's session, and so the locks, with other
 * clients. Such a pooler gives two connections the same server process.
 */
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
    tryExclusive: () => session.ask('pg_try_advisory_lock', 'workers'),
    releaseExclusive: () => session.ask('pg_advisory_unlock', 'workers').then(() => undefined),
    tryShared: () => session.ask('pg_try_advisory_lock_shared', 'workers'),
    releaseShared: () => session.ask('pg_advisory_unlock_shared', 'workers').then(() => undefined),
    readNote: () => session.noted(),
    writeNote: (server) => session.note(server),
    close: session.close,
  };
}

async function workersServer(open: Open): Promise<string | undefined> {
  const session = await open();
  try {
    return (await session.isHeld('workers')) ? ((await session.noted()) ?? UNNAMED) : undefined;
  } finally {
    session.close();
  }
}

/** Takes a lock exclusively. Polls: a statement that waits in the server would not notice a cut connection. */
async function lockExclusively(open: Open, name: string): Promise<Unlock> {
  const session = await open();
  try {
    while (!(await session.ask('pg_try_advisory_lock', name))) await sleep(GAP_MS);
    return session.close;
  } catch (error) {
    session.close();
    throw error;
  }
}
