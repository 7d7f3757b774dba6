import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { endAfterTest } from './end-after-test.ts';
import { waitFor } from './wait-for.ts';

/** A database that a copy of it can replace, as when a backup is restored. */
export interface ReplaceableDatabase {
  /** Where a ledger in it is. */
  readonly ledger: string;
  /** Copies it as it is now. Whoever is connected is cut off. */
  copy(): Promise<void>;
  /** Puts the copy in its place. Whoever is connected is cut off. */
  putCopy(): Promise<void>;
}

/** Makes one on the server of the tests. It is removed after the test. */
export async function makeReplaceableDatabase(): Promise<ReplaceableDatabase> {
  const base = process.env['TEST_POSTGRES'] ?? '';
  const [name, copy] = ['d', 'k'].map((letter) => `${letter}${randomUUID().slice(0, 8)}`) as [string, string];
  const server = new pg.Client({ connectionString: base });
  const other = new pg.Client({ connectionString: base });
  await Promise.all([server.connect(), other.connect()]);
  endAfterTest(async () => {
    await server.query(`drop database ${name} with (force)`);
    await Promise.all([server.end(), other.end()]);
  });
  await server.query(`create database ${name}`);
  return {
    ledger: `${new URL(name, base).href}?schema=v`,
    copy: async () => {
      let isOver = false;
      const copying = server.query(`create database ${copy} template ${name}`).finally(() => (isOver = true));
      copying.catch(() => undefined);
      // It waits some seconds until nobody is connected. Whoever is cut off connects again.
      await waitFor(async () => {
        await other.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [name]);
        return isOver;
      });
      await copying;
    },
    putCopy: async () => {
      await server.query(`drop database ${name} with (force)`);
      await server.query(`alter database ${copy} rename to ${name}`);
    },
  };
}
