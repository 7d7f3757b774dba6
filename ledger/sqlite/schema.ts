import { sql, type Kysely } from 'kysely';
import { randomUUID } from 'node:crypto';
import type { Schema } from '../schema.ts';
import { createTables as create, type TableDialect } from '../tables/create-tables.ts';
import type { MakeVersion, VersionName } from '../versions.ts';
import { TRIGGERS } from './triggers.ts';

const DIALECT: TableDialect = {
  typeOf: ({ type }) => type,
  numbered: (column) => column.autoIncrement(),
  endOfSorted: 'without rowid',
};

/** The migration to each version. */
export const VERSIONS: Readonly<Record<VersionName, MakeVersion>> = {
  '0.1': makeFirst,
  '0.2': (db) => create(db, DIALECT, '0.2'),
  '0.3': (db) => create(db, DIALECT, '0.3'),
  '0.4': (db) => create(db, DIALECT, '0.4'),
  // These versions changed only PostgreSQL's triggers.
  '0.5': () => Promise.resolve(),
  '0.6': () => Promise.resolve(),
};

/** Makes version 0.1 in SQLite: `ledger/tables/` describes the tables; the triggers maintain counts and sums. */
async function makeFirst(db: Kysely<unknown>): Promise<void> {
  await createTables(db);
  await (db as Kysely<Schema>).insertInto('facts').values({ name: 'id', value: randomUUID() }).execute();
}

/** Creates the empty tables, the indexes and the triggers of version 0.1. */
export async function createTables(db: Kysely<unknown>): Promise<void> {
  await create(db, DIALECT, '0.1');
  for (const trigger of TRIGGERS) await sql.raw(trigger).execute(db);
}
