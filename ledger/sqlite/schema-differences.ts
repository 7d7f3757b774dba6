import Database from 'libsql';
import { Kysely, sql, SqliteDialect } from 'kysely';
import { guardWords, toLedgerFacts } from '../copy/read-only.ts';
import { migrate } from '../migrate.ts';
import { guards, sqliteCopy } from './copy-dialect.ts';
import type { Schema } from '../schema.ts';
import { versionsOf } from '../versions.ts';
import { VERSIONS } from './schema.ts';

/** A table, index, trigger or view, as the database keeps it. */
interface Part {
  readonly type: string;
  readonly name: string;
  /** Its SQL; null if SQLite created it for another part. */
  readonly sql: string | null;
}

/** SQLite's own tables, which are ignored. */
const OF_SQLITE = new Set(['sqlite_sequence', 'sqlite_stat1', 'sqlite_stat4']);

/**
 * Returns the parts of a ledger, such as `trigger "t"`, that are not in our schema, differ from it, or are missing.
 * Finds them by comparing with a new database in memory. A foreign trigger could change the control of each new batch,
 * a view could hide one, and without our triggers nothing counts what is spent.
 */
export async function schemaDifferences(db: Kysely<Schema>): Promise<readonly string[]> {
  const fresh = new Kysely<Schema>({ dialect: new SqliteDialect({ database: new Database(':memory:') }) });
  try {
    const versions = versionsOf(() => Promise.resolve(VERSIONS));
    await migrate(fresh, { versions, describe: String, copying: () => Promise.resolve(sqliteCopy) }, ':memory:');
    const { readOnly } = toLedgerFacts(await db.selectFrom('facts').selectAll().execute());
    if (readOnly !== undefined) for (const guard of guards(guardWords(readOnly))) await sql.raw(guard).execute(fresh);
    const [ours, found] = [await partsOf(fresh), await partsOf(db)];
    const differences = [...without(found, ours), ...without(ours, found)];
    return [...new Set(differences.map(({ type, name }) => `${type} ${JSON.stringify(name)}`))];
  } finally {
    await fresh.destroy();
  }
}

async function partsOf(db: Kysely<Schema>): Promise<readonly Part[]> {
  const { rows } = await sql<Part>`select type, name, sql from sqlite_master order by name`.execute(db);
  return rows.filter(({ type, name }) => !(type === 'table' && OF_SQLITE.has(name)));
}

function without(parts: readonly Part[], others: readonly Part[]): readonly Part[] {
  const known = new Set(others.map(keyOf));
  return parts.filter((part) => !known.has(keyOf(part)));
}

function keyOf({ type, name, sql: text }: Part): string {
  return JSON.stringify([type, name, text]);
}
