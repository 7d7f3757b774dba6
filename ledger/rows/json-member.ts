import { sql, type DialectAdapter, type RawBuilder } from 'kysely';
import type { Db, RowLine, Tx } from '../schema.ts';

/** What this asks of the adapter of each kind of database; `LedgerDriver.open` demands it. */
export interface JsonAdapter extends DialectAdapter {
  /** Follows a text whose members `->>` is to read, such as `::json`; empty where it reads them from text. */
  readonly jsonCast: string;
}

/** Start of the JSON escape of a lone surrogate. `JSON.stringify` does not escape surrogates in pairs. */
const SURROGATE = String.raw`\ud`;
/** Start of the JSON escape of a private-use character. */
const PRIVATE_USE = String.raw`\uf`;
const NUL = String.raw`\u0000`;
const SPACE = String.raw`\u0020`;

/**
 * Returns an SQL expression for the member `name` of a column of `rows` that holds a JSON object, as text; null where
 * the object lacks it.
 *
 * A lone surrogate, as in a message that was cut in the middle of a pair, is not valid text for a database: SQLite's
 * driver would abort the process, PostgreSQL refuses the query. PostgreSQL refuses a NUL, too. In JSON both are
 * escapes, so the expression first replaces them with the escapes of other characters.
 */
export function jsonMember(db: Db | Tx, column: keyof RowLine, name: string): RawBuilder<unknown> {
  const json = sql`replace(replace(${sql.ref(`rows.${column}`)}, ${sql.lit(SURROGATE)}, ${sql.lit(PRIVATE_USE)}), ${sql.lit(NUL)}, ${sql.lit(SPACE)})`;
  const { jsonCast } = db.getExecutor().adapter as JsonAdapter;
  return sql`${json}${sql.raw(jsonCast)} ->> ${sql.lit(name)}`;
}
