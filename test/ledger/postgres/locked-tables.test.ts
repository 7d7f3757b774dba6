import { expect, it } from '@jest/globals';
import { sql } from 'kysely';
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { MIGRATION_TABLE } from '../../../ledger/migrate.ts';
import { openDatabase, openLedger } from '../../../ledger/open-ledger.ts';
import { retryMigration } from '../../../ledger/postgres/locked-tables.ts';
import { endAfterTest } from '../../support/end-after-test.ts';
import { waitFor } from '../../support/wait-for.ts';
import { aKey, fill, INTENT } from '../setup.ts';

const SERVER = process.env['TEST_POSTGRES'] ?? '';

async function aLedger() {
  const schema = `l${randomUUID().slice(0, 8)}`;
  const place = `${SERVER}?schema=${schema}`;
  const ledger = await openLedger(place, { makesTables: true });
  endAfterTest(() => ledger.close());
  const { db } = await openDatabase({ place, mustExist: true });
  endAfterTest(() => db.destroy());
  await fill(ledger, 3);
  return { place, schema, ledger, db };
}

/** Somebody who looks at the rows in one transaction, until it is told to end. */
async function aReader(schema: string): Promise<pg.Client> {
  const reader = new pg.Client({ connectionString: SERVER, application_name: 'report' });
  await reader.connect();
  endAfterTest(() => reader.end());
  await reader.query(`begin; select count(*) from ${schema}.rows`);
  return reader;
}

it('a migration lets workers go on while somebody reads for long, and succeeds once that ends', async () => {
  const { place, schema, ledger, db } = await aLedger();
  const reader = await aReader(schema);
  await sql.raw(`delete from ${MIGRATION_TABLE} where name = '0.6'`).execute(db);
  const migration = openLedger(place);
  const waits = sql`select 1 from pg_locks where not granted and relation = ${`${schema}.rows`}::regclass`;
  await waitFor(async () => (await waits.execute(db)).rows.length > 0);
  // Both wait behind the migration, which waits for the reader.
  expect(await ledger.intend(aKey(1), INTENT)).toMatchObject({ type: 'go' });
  expect(await ledger.counts('b')).toMatchObject({ total: 3 });
  await reader.query('commit');
  await (await migration).close();
  const { rows } = await sql.raw(`select 1 from ${MIGRATION_TABLE} where name = '0.6'`).execute(db);
  expect(rows).toHaveLength(1);
});

it('a migration that never gets through names who is in the way, and leaves all as it was', async () => {
  const { place, schema, ledger, db } = await aLedger();
  const reader = await aReader(schema);
  const { rows } = await reader.query<{ pid: number }>('select pg_backend_pid() as pid');
  let tries = 0;
  const lockRows = async (): Promise<void> => {
    tries += 1;
    await db.transaction().execute(async (tx) => {
      await sql`set local lock_timeout = 100`.execute(tx);
      await sql`drop table takes`.execute(tx);
      await sql`lock table rows in access exclusive mode`.execute(tx);
    });
  };
  // Sessions that have only begun are not named.
  const isOld = sql`select 1 from pg_stat_activity where pid = ${rows[0]?.pid} and xact_start < now() - interval '3 s'`;
  await waitFor(async () => (await isOld.execute(db)).rows.length > 0);
  const failure = retryMigration(db, place, lockRows, { max: 3, pauseMs: 1 });
  await expect(failure).rejects.toThrow(
    new RegExp(
      `in use each of the 3 times that this was tried: session ${rows[0]?.pid} of user \\w+ \\(report, in a transaction since \\S+Z\\)\\. ` +
        'Nothing was changed, .* run the same command again',
    ),
  );
  expect(tries).toBe(3);
  expect(await ledger.takesOf('b', 1)).toEqual([]);
});

it('a migration that fails by itself is not tried again', async () => {
  const { place, db } = await aLedger();
  let tries = 0;
  const fail = async (): Promise<void> => {
    tries += 1;
    await sql`select * from nothing`.execute(db);
  };
  await expect(retryMigration(db, place, fail)).rejects.toThrow('"nothing" does not exist');
  expect(tries).toBe(1);
});
