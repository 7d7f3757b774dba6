import { Migrator, type Kysely, type MigrationProvider } from 'kysely';
import { LedgerTooNew, LedgerUnreachable } from './errors.ts';
import type { Schema } from './schema.ts';

/** Table in which the database records its migrations. */
export const MIGRATION_TABLE = 'voxbatch_migrations';
/** Table by which migrating processes lock each other out. */
export const MIGRATION_LOCK_TABLE = 'voxbatch_migrations_lock';

/**
 * Brings the tables up to date. Returns true if there were none. Leaves databases of other programs and of newer versions alone: throws {@link
 * LedgerUnreachable} and {@link LedgerTooNew}.
 */
export async function migrate(db: Kysely<Schema>, provider: MigrationProvider, place: string): Promise<boolean> {
  const tables = await db.introspection.getTables({ withInternalKyselyTables: true });
  const ours = tables.some((table) => table.name === MIGRATION_TABLE);
  if (tables.length > 0 && !ours) {
    const advice = 'Set VOXBATCH_LEDGER to another file.';
    throw new LedgerUnreachable(place, 'it is the database of another program', advice);
  }
  if (ours && !(await isMigrationDue(db, provider, place))) return false;
  const migrator = new Migrator({
    db,
    provider,
    migrationTableName: MIGRATION_TABLE,
    migrationLockTableName: MIGRATION_LOCK_TABLE,
  });
  const { error } = await migrator.migrateToLatest();
  if (error !== undefined) throw error instanceof Error ? error : new Error('The migration failed.', { cause: error });
  return !ours;
}

async function isMigrationDue(db: Kysely<Schema>, provider: MigrationProvider, place: string): Promise<boolean> {
  const known = Object.keys(await provider.getMigrations());
  const lines = await db
    .withTables<{ [MIGRATION_TABLE]: { name: string } }>()
    .selectFrom(MIGRATION_TABLE)
    .select('name')
    .execute();
  const done = lines.map((line) => line.name);
  const stranger = done.find((name) => !known.includes(name));
  if (stranger !== undefined) throw new LedgerTooNew(place, stranger);
  return known.some((name) => !done.includes(name));
}
