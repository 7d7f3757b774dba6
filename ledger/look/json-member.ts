import { sql, type RawBuilder } from 'kysely';
import { unitAdapterOf } from '../database/unit-adapter.ts';
import type { Db, RowLine, Tx } from '../schema.ts';

/**
 * How the escape of half a pair begins (`JSON.stringify` writes whole pairs as they are), and that of a private
 * character.
 */
const [HALF, PRIVATE] = [String.raw`\ud`, String.raw`\uf`];
const [NUL, SPACE] = [String.raw`\u0000`, String.raw`\u0020`];

/**
 * A member of a column of rows that has JSON, as the database reads it; null where it has none. Half a surrogate pair,
 * as in a message that was cut in the middle of one, is no text for a database: SQLite's driver would end the process,
 * PostgreSQL refuses the query, as it does a NUL. JSON has them as escapes, which become those of other characters.
 */
export function jsonMember(db: Db | Tx, column: keyof RowLine, name: string): RawBuilder<unknown> {
  const json = sql`replace(replace(${sql.ref(`rows.${column}`)}, ${sql.lit(HALF)}, ${sql.lit(PRIVATE)}), ${sql.lit(NUL)}, ${sql.lit(SPACE)})`;
  // Only SQLite is in this process; it has JSON as text.
  return unitAdapterOf(db) === undefined ? sql`${json} ->> ${sql.lit(name)}` : sql`${json}::json ->> ${sql.lit(name)}`;
}
