import { sql, type RawBuilder } from 'kysely';
import { unitAdapterOf } from '../database/unit-adapter.ts';
import type { Db, RowLine, Tx } from '../schema.ts';

/** A member of a column of rows that has JSON, as the database reads it; null where it has none. */
export function jsonMember(db: Db | Tx, column: keyof RowLine, name: string): RawBuilder<unknown> {
  const json = sql.ref(`rows.${column}`);
  // Only SQLite is in this process; it has JSON as text.
  return unitAdapterOf(db) === undefined ? sql`${json} ->> ${sql.lit(name)}` : sql`${json}::json ->> ${sql.lit(name)}`;
}
