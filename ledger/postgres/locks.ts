import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { lockAgainstWorkers, lockForWorkers, type WorkersLock } from '../database/lock-for-workers.ts';
import type { LockMethods, Unlock } from '../driver.ts';
import { LedgerAway, LedgerUnreachable } from '../errors.ts';
import { connectionTo } from './connection-settings.ts';
import { explain } from './errors.ts';
import { describePlace } from './describe-place.ts';

/** How long to wait before a lost lock is tried again, ms. */
const TRY_AGAIN_MS = 1_000;
/** An idle connection is tried after this time, so that one that is cut off is noticed, ms. */
const KEEP_ALIVE_MS = 10_000;
const CONNECT_MS = 10_000;

/** The locks of a ledger: advisory locks, each held by a connection of its own, which ends with its process. */
export function advisoryLocks(place: string): LockMethods {
  return {
    lockForWorkers: (server, onLost) => lockAgainAndAgain(place, server, onLost),
    lockAgainstWorkers: async () => lockAgainstWorkers(workersLock(await Session.open(place)), describePlace(place)),
    isWorkedOn: () => isWorkedOn(place),
    lockForLoading: () => lockAlone(place, 'loading'),
    lockForFiles: () => lockAlone(place, 'files'),
  };
}

/** Takes the workers' lock, and again whenever its connection was lost. */
async function lockAgainAndAgain(
  place: string,
  server: string,
  onLost: (error: Error) => void = () => undefined,
): Promise<Unlock> {
  let isReleased = false;
  const isOver = (): boolean => isReleased;
  const take = async (): Promise<Unlock> => {
    const session = await Session.open(place, () => void takeAgain());
    try {
      await refusePooler(session, place);
    } catch (error) {
      session.close();
      throw error;
    }
    return lockForWorkers(workersLock(session), describePlace(place), server);
  };
  const takeAgain = async (): Promise<void> => {
    while (!isOver()) {
      try {
        release = await take();
        if (isOver()) release();
        return;
      } catch (error) {
        if (!(error instanceof LedgerAway)) {
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
async function refusePooler(session: Session, place: string): Promise<void> {
  const other = await Session.open(place);
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

function workersLock(session: Session): WorkersLock {
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

async function isWorkedOn(place: string): Promise<boolean> {
  const session = await Session.open(place);
  try {
    return await session.isHeld('workers');
  } finally {
    session.close();
  }
}

async function lockAlone(place: string, name: string): Promise<Unlock> {
  const session = await Session.open(place);
  try {
    await session.ask('pg_advisory_lock', name);
    return session.close;
  } catch (error) {
    session.close();
    throw error;
  }
}

/** A connection that holds locks. */
class Session {
  readonly #client: pg.Client;
  readonly #place: string;
  #isClosed = false;

  private constructor(client: pg.Client, place: string) {
    this.#client = client;
    this.#place = place;
  }

  /** `onLost`: called once if the connection ends before it is closed here. */
  static async open(place: string, onLost?: () => void): Promise<Session> {
    const { config } = connectionTo(place);
    const client = new pg.Client({
      ...config,
      keepAlive: true,
      keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
      connectionTimeoutMillis: CONNECT_MS,
    });
    client.on('error', () => undefined);
    try {
      await client.connect();
    } catch (error) {
      throw explain(place, error);
    }
    const session = new Session(client, place);
    client.once('end', () => {
      if (!session.#isClosed) onLost?.();
    });
    return session;
  }

  /** The server's process for this session. */
  async backend(): Promise<number | undefined> {
    const [line] = await this.#query<{ pid: number }>('select pg_backend_pid() as pid', []);
    return line?.pid;
  }

  /** Locks are per database; the schema makes them those of one ledger. */
  async ask(what: string, lock: string): Promise<boolean> {
    const [line] = await this.#query<{ answer: unknown }>(
      `select ${what}(hashtext(current_schema()), hashtext($1)) as answer`,
      [lock],
    );
    return line?.answer === true;
  }

  /** Whether another session has the lock. Takes nothing, so that two who look do not see each other. */
  async isHeld(lock: string): Promise<boolean> {
    const found = await this.#query(
      `select 1 from pg_locks where locktype = 'advisory' and granted and database = (select oid from pg_database where datname = current_database())
       and classid::bigint = hashtext(current_schema())::bigint & 4294967295 and objid::bigint = hashtext($1)::bigint & 4294967295 limit 1`,
      [lock],
    );
    return found.length > 0;
  }

  async note(server: string): Promise<void> {
    await this.#query(
      `insert into facts (name, value) values ('server', $1) on conflict (name) do update set value = excluded.value`,
      [server],
    );
  }

  async noted(): Promise<string | undefined> {
    const [line] = await this.#query<{ value: string }>(`select value from facts where name = 'server'`, []);
    return line?.value;
  }

  async #query<R extends pg.QueryResultRow>(text: string, values: readonly unknown[]): Promise<readonly R[]> {
    try {
      return (await this.#client.query<R>(text, [...values])).rows;
    } catch (error) {
      throw explain(this.#place, error);
    }
  }

  readonly close = (): void => {
    this.#isClosed = true;
    // The server releases the locks whether or not it hears the goodbye.
    void this.#client.end().catch(() => undefined);
  };
}
