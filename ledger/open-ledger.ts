import { access, mkdir } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Kysely, Migrator } from 'kysely';
import { urlSchemeOf } from '../contract/url-scheme.ts';
import { createLedger } from './create-ledger.ts';
import { LedgerMissing, LedgerTooNew, LedgerUnreachable } from './errors.ts';
import type { Ledger } from './ledger.ts';
import { findLedgerThread, openInThread, type LedgerPlace } from './ledger-in-thread.ts';
import { refuseNetworkDisk, type Disks } from './sqlite/network-disk.ts';
import { MIGRATION_LOCK_TABLE, MIGRATION_PROVIDER, MIGRATION_TABLE } from './sqlite/migrations/all.ts';
import type { Db, Schema } from './schema.ts';
import { openSqlite } from './sqlite/dialect.ts';

export interface OpenOptions {
  /** For commands that only look: throw {@link LedgerMissing} instead of making a new ledger. Default false. */
  readonly mustExist?: boolean;
  /**
   * Works on the database in a thread of its own, so that neither SQL nor waiting for the disk stops this one: for processes that work on
   * batches. Not where the code runs from its TypeScript source. Default false.
   */
  readonly thread?: boolean;
  /** Tells network disks from others, for tests. Default: the system. */
  readonly disks?: Disks;
}

/** An open database whose tables are up to date. */
export interface OpenDatabase {
  readonly db: Db;
  /** Of the ledger. */
  readonly id: string;
}

/**
 * Opens a ledger, making it and its folder if there is none, and brings its tables up to date.
 *
 * `url` is a path, or a `file:` or `sqlite:` URL. Throws {@link LedgerUnreachable} (also for databases that are not
 * supported, and for a ledger on a network disk), {@link LedgerTooNew}, and {@link LedgerMissing}.
 */
export async function openLedger(
  url: string,
  { mustExist = false, thread = false, disks }: OpenOptions = {},
): Promise<Ledger> {
  const path = pathOf(url);
  await refuseNetworkDisk(path, disks);
  const entry = thread ? findLedgerThread() : undefined;
  if (entry !== undefined) return openInThread(entry, { path, mustExist });
  const { db, id } = await openDatabase({ path, mustExist });
  return createLedger(db, id, path);
}

/** See {@link openLedger}. */
export async function openDatabase({ path, mustExist }: LedgerPlace): Promise<OpenDatabase> {
  if (mustExist) {
    if (!(await exists(path))) throw new LedgerMissing(path);
  } else {
    await makeFolder(path);
  }
  const db = new Kysely<Schema>({ dialect: await openSqlite(path) });
  try {
    await migrate(db, path);
    const { value: id } = await db
      .selectFrom('facts')
      .select('value')
      .where('name', '=', 'id')
      .executeTakeFirstOrThrow();
    return { db, id };
  } catch (error) {
    await db.destroy();
    throw error;
  }
}

function pathOf(url: string): string {
  const scheme = urlSchemeOf(url)?.toLowerCase();
  if (scheme === undefined) return resolve(url);
  if (scheme === 'file' && url.startsWith('file://')) return fileURLToPath(url);
  if (scheme === 'file' || scheme === 'sqlite') return resolve(url.slice(scheme.length + 1).replace(/^\/\//, ''));
  // The URL itself is not repeated: it may hold a password.
  throw new LedgerUnreachable(
    `(${scheme} URL)`,
    scheme === 'postgres' || scheme === 'postgresql'
      ? 'PostgreSQL is not supported yet'
      : `expected a path, or a file: or sqlite: URL, but it begins with ${scheme}:`,
    'Set VOXBATCH_LEDGER to the path of a database file, or unset it for .voxbatch/ledger.db.',
  );
}

async function exists(path: string): Promise<boolean> {
  try {
    await access(path);
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return false;
    throw unreachable(path, error);
  }
}

async function makeFolder(path: string): Promise<void> {
  try {
    // The texts of users are in it.
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  } catch (error) {
    throw unreachable(path, error);
  }
}

function unreachable(path: string, error: unknown): LedgerUnreachable {
  const detail = (error as NodeJS.ErrnoException).message;
  return new LedgerUnreachable(
    path,
    detail,
    'Make its folder writable, or set VOXBATCH_HOME or VOXBATCH_LEDGER.',
    error,
  );
}

/** Brings the tables up to date; refuses databases of other programs and of newer versions without touching them. */
async function migrate(db: Kysely<Schema>, path: string): Promise<void> {
  const tables = await db.introspection.getTables({ withInternalKyselyTables: true });
  const ours = tables.some((table) => table.name === MIGRATION_TABLE);
  if (tables.length > 0 && !ours) {
    const advice = 'Set VOXBATCH_LEDGER to another file.';
    throw new LedgerUnreachable(path, 'it is the database of another program', advice);
  }
  if (ours && !(await isMigrationDue(db, path))) return;
  const migrator = new Migrator({
    db,
    provider: MIGRATION_PROVIDER,
    migrationTableName: MIGRATION_TABLE,
    migrationLockTableName: MIGRATION_LOCK_TABLE,
  });
  const { error } = await migrator.migrateToLatest();
  if (error !== undefined) throw error instanceof Error ? error : new Error('The migration failed.', { cause: error });
}

async function isMigrationDue(db: Kysely<Schema>, path: string): Promise<boolean> {
  const known = Object.keys(await MIGRATION_PROVIDER.getMigrations());
  const lines = await db
    .withTables<{ [MIGRATION_TABLE]: { name: string } }>()
    .selectFrom(MIGRATION_TABLE)
    .select('name')
    .execute();
  const done = lines.map((line) => line.name);
  const stranger = done.find((name) => !known.includes(name));
  if (stranger !== undefined) throw new LedgerTooNew(path, stranger);
  return known.some((name) => !done.includes(name));
}
