import { sql, type Kysely } from 'kysely';
import { randomUUID } from 'node:crypto';
import type { Schema } from '../schema.ts';
import { createTables as create } from '../tables/create-tables.ts';
import { TRIGGERS } from './triggers.ts';

/** Makes version 1 in SQLite: `ledger/tables/` describes the tables; the triggers maintain counts and sums. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await createTables(db);
  await (db as Kysely<Schema>).insertInto('facts').values({ name: 'id', value: randomUUID() }).execute();
}

/** Every table, index and trigger, without a line. */
export async function createTables(db: Kysely<unknown>): Promise<void> {
  await create(db, {
    typeOf: ({ type }) => type,
    numbered: (column) => column.autoIncrement(),
    endOfSorted: 'without rowid',
  });
  for (const trigger of TRIGGERS) await sql.raw(trigger).execute(db);
}
