import { sql, type Kysely } from 'kysely';
import { randomUUID } from 'node:crypto';
import type { Schema } from '../schema.ts';
import type { Column } from '../tables/columns.ts';
import { createTables } from '../tables/create-tables.ts';
import { TRIGGERS } from './triggers.ts';

/** Text compares by its bytes, whatever language the server speaks; every whole number has 8 bytes. */
const TYPES: Readonly<Record<Column['type'], string>> = {
  text: 'text collate "C"',
  integer: 'bigint',
  bigint: 'bigint',
  'double precision': 'double precision',
};

/** Makes version 1 in PostgreSQL: `ledger/tables/` describes the tables; the triggers maintain counts and sums. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await createTables(db, {
    typeOf: ({ type }) => sql.raw(TYPES[type]),
    numbered: (column) => column.generatedAlwaysAsIdentity(),
  });
  for (const trigger of TRIGGERS) await sql.raw(trigger).execute(db);
  await (db as Kysely<Schema>).insertInto('facts').values({ name: 'id', value: randomUUID() }).execute();
}
