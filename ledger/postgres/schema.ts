import { sql, type Kysely } from 'kysely';
import { randomUUID } from 'node:crypto';
import type { Schema } from '../schema.ts';
import type { Column } from '../tables/columns.ts';
import { createTables, type TableDialect } from '../tables/create-tables.ts';
import type { MakeVersion, VersionName } from '../versions.ts';
import { MAKE_TRIGGERS } from './triggers.ts';

/** Text compares by bytes, whatever the server's locale; every whole number has 8 bytes. */
const TYPES: Readonly<Record<Column['type'], string>> = {
  text: 'text collate "C"',
  integer: 'bigint',
  bigint: 'bigint',
  'double precision': 'double precision',
};

const DIALECT: TableDialect = {
  typeOf: ({ type }) => sql.raw(TYPES[type]),
  numbered: (column) => column.generatedAlwaysAsIdentity(),
};

/** The migration to each version. */
export const VERSIONS: Readonly<Record<VersionName, MakeVersion>> = {
  '0.1': makeFirst,
  '0.2': (db) => createTables(db, DIALECT, '0.2'),
  '0.3': (db) => createTables(db, DIALECT, '0.3'),
  '0.4': (db) => createTables(db, DIALECT, '0.4'),
  // Only changed triggers, which version 0.6 replaces.
  '0.5': () => Promise.resolve(),
  '0.6': makeTriggers,
};

/** Makes version 0.1 in PostgreSQL: `ledger/tables/` describes the tables. */
async function makeFirst(db: Kysely<unknown>): Promise<void> {
  await createTables(db, DIALECT, '0.1');
  await (db as Kysely<Schema>).insertInto('facts').values({ name: 'id', value: randomUUID() }).execute();
}

/**
 * Creates the triggers that maintain counts and sums, in place of those of earlier versions: until 0.4 they ran for
 * each line, and those of 0.5 lost decimals of large sums.
 */
async function makeTriggers(db: Kysely<unknown>): Promise<void> {
  for (const statement of MAKE_TRIGGERS) await sql.raw(statement).execute(db);
}
