import pg from 'pg';
import { lockAgainstWorkers, lockForWorkers, type WorkersLock } from '../database/lock-for-workers.ts';
import type { LockMethods, Unlock } from '../driver.ts';
import { connectionTo } from './connection.ts';
import { explain } from './errors.ts';
import { describePlace } from './describe-place.ts';

/** The locks of a ledger: advisory locks, each held by a connection of its own, which ends with its process. */
export function advisoryLocks(place: string): LockMethods {
  return {
    lockForWorkers: async (server) => lockForWorkers(await workersLock(place), describePlace(place), server),
    lockAgainstWorkers: async () => lockAgainstWorkers(await workersLock(place), describePlace(place)),
    isWorkedOn: () => isWorkedOn(place),
    lockForLoading: () => lockAlone(place, 'loading'),
    lockForFiles: () => lockAlone(place, 'files'),
  };
}

async function workersLock(place: string): Promise<WorkersLock> {
  const session = await Session.open(place);
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

  private constructor(client: pg.Client, place: string) {
    this.#client = client;
    this.#place = place;
  }

  static async open(place: string): Promise<Session> {
    const client = new pg.Client(connectionTo(place).config);
    client.on('error', () => undefined);
    try {
      await client.connect();
    } catch (error) {
      throw explain(place, error);
    }
    return new Session(client, place);
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
    // The server releases the locks whether or not it hears the goodbye.
    void this.#client.end().catch(() => undefined);
  };
}
