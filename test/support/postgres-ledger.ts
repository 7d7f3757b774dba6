import { sql } from 'kysely';
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { createLedger, type Ledger } from '../../ledger/ledger.ts';
import { databaseOf, type OpenDatabase } from '../../ledger/migrate.ts';
import { postgres } from '../../ledger/postgres/driver.ts';
import { TABLES, type Clock, type Schema } from '../../ledger/schema.ts';

/** The ledgers that the tests of this process have in the database, each in a schema of its own. */
const schemas: { path: string; readonly address: string }[] = [];

/** That of this process, which tests move. */
const OWN_CLOCK: Clock = { now: () => Date.now() };

/**
 * The ledger of this path on the PostgreSQL server at `server`: a new one, or one whose folder is gone, emptied.
 */
export async function openPostgresLedger(server: string, path: string, clock = OWN_CLOCK): Promise<Ledger> {
  return createLedger(await openPostgresDatabase(await addressOf(server, path), clock));
}

/** Opens the database of such a ledger, by its place. */
export async function openPostgresDatabase(address: string, clock?: Clock): Promise<OpenDatabase> {
  return databaseOf(
    await postgres.open(address, { mustExist: false, makesTables: true, patienceMs: Infinity }),
    postgres,
    address,
    { hasReserve: false },
    clock,
  );
}

async function addressOf(server: string, path: string): Promise<string> {
  const known = schemas.find((one) => one.path === path);
  if (known !== undefined) return known.address;
  const free = schemas.find((one) => !existsSync(dirname(one.path)));
  if (free !== undefined) {
    free.path = path;
    await empty(free.address);
    return free.address;
  }
  const url = new URL(server);
  url.searchParams.set('schema', `t${randomUUID().slice(0, 8)}`);
  schemas.push({ path, address: url.href });
  return url.href;
}

/** Removes every line: that takes a tenth of the time of making all tables anew. */
async function empty(address: string): Promise<void> {
  const { db } = await openPostgresDatabase(address);
  for (const table of Object.keys(TABLES).toReversed() as (keyof Schema)[]) await db.deleteFrom(table).execute();
  // Its numbers begin anew, as in a new ledger.
  await sql`truncate actions restart identity`.execute(db);
  await db.insertInto('facts').values({ name: 'id', value: randomUUID() }).execute();
  await db.destroy();
}
