import { expect } from '@jest/globals';
import { Kysely, Migrator, type MigrationProvider } from 'kysely';
import Database from 'libsql';
import { join } from 'node:path';
import { MIGRATION_LOCK_TABLE, MIGRATION_TABLE } from '../../ledger/migrate.ts';
import { MIGRATION_PROVIDER } from '../../ledger/sqlite/migrations/all.ts';
import { openSqlite } from '../../ledger/sqlite/dialect.ts';

/** Makes the ledger of a folder as a version that knew migrations up to `last` did, with what these statements put into it. */
export async function makeOlderLedger(folder: string, last: string, statements: readonly string[]): Promise<void> {
  const provider: MigrationProvider = {
    getMigrations: async () =>
      Object.fromEntries(
        Object.entries(await MIGRATION_PROVIDER.getMigrations()).filter(([name]) => name <= `${last}-~`),
      ),
  };
  const path = join(folder, 'ledger.db');
  const db = new Kysely<unknown>({ dialect: await openSqlite(path) });
  const names = { migrationTableName: MIGRATION_TABLE, migrationLockTableName: MIGRATION_LOCK_TABLE };
  expect((await new Migrator({ db, provider, ...names }).migrateToLatest()).error).toBeUndefined();
  await db.destroy();
  const raw = new Database(path);
  for (const statement of statements) raw.exec(statement);
  raw.close();
}
