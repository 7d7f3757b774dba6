import { Kysely, Migrator, type Dialect } from 'kysely';
import { defined } from '../contract/defined.ts';
import { keepFact, readFact, setFact } from './database/facts.ts';
import { readSnapshot, withClock } from './database/transactions.ts';
import { guardWords, readLedgerFacts, toLedgerFacts, type WhyReadOnly } from './copy/read-only.ts';
import type { LedgerDriver, Locks, Reserve, Versions } from './driver.ts';
import { LedgerTooNew, LedgerUnreachable } from './errors.ts';
import type { Clock, Db, Schema } from './schema.ts';
import type { Version } from './versions.ts';

/*
 * Makes an opened database a ledger: brings its tables up to date, and finds out which ledger it is and whether it may
 * be written to.
 */

/** An open database, and the locks beside it. */
export interface OpenDatabase {
  readonly db: Db;
  /** The ledger's random id. */
  readonly id: string;
  readonly origin: LedgerOrigin;
  /** Why nothing can be written to it; undefined if it can be. */
  readonly readOnly?: WhyReadOnly;
  /** The address without secrets. */
  readonly place: string;
  readonly locks: Locks;
  /** False if it is a copy of the database last written that no person has accepted. */
  readonly isAccepted: () => Promise<boolean>;
  /** See `Ledger.schemaDifferences`. */
  readonly findSchemaDifferences: () => Promise<readonly string[]>;
  /** Disk space reserved for answers; undefined if none is reserved. */
  readonly reserve?: Reserve;
  /** The space that workers reserve. */
  readonly workersReserve: () => Promise<Reserve>;
  /** Path of the former ledger, if this one was imported from an older layout by this opening. */
  readonly former?: string;
}

/**
 * Wraps an opened database and migrates its tables. Closes it if that fails. `hasReserve`: reserve disk space for
 * answers. `goesOn`: require no free space besides the reserve. `clock`: the driver's by default.
 */
export async function databaseOf(
  dialect: Dialect,
  driver: LedgerDriver,
  place: string,
  { hasReserve, goesOn }: { readonly hasReserve: boolean; readonly goesOn?: boolean },
  clock?: Clock,
): Promise<OpenDatabase> {
  const own = new Kysely<Schema>({ dialect });
  try {
    const db = withClock(own, clock ?? (await driver.clockOf?.(own)) ?? { now: () => Date.now() });
    const workersReserve = (): Promise<Reserve> => driver.reserveOf(place);
    const reserve = hasReserve ? await workersReserve() : undefined;
    if (goesOn === true) reserve?.hold();
    else reserve?.begin();
    const { isNew, former } = await migrate(db, driver, place);
    const { id, readOnly } = toLedgerFacts(await db.selectFrom('facts').selectAll().execute());
    if (id === undefined)
      throw new LedgerUnreachable(driver.describe(place), 'it has no id', 'Restore it from a backup.');
    const origin = await readOrigin(db, isNew);
    const locks = await driver.locksOf(place);
    const findSchemaDifferences = (): Promise<readonly string[]> => driver.schemaDifferences(db);
    const isAccepted = async (): Promise<boolean> => {
      const copying = await driver.copying();
      return readSnapshot(db, (tx) => copying.isAccepted(tx));
    };
    return {
      db,
      id,
      origin,
      place: driver.describe(place),
      locks,
      findSchemaDifferences,
      isAccepted,
      workersReserve,
      ...defined({ reserve, former, readOnly }),
    };
  } catch (error) {
    await own.destroy();
    throw error;
  }
}

/** Table in which the database records its versions. */
export const MIGRATION_TABLE = 'voxbatch_migrations';
/** Table by which migrating processes lock each other out. */
const MIGRATION_LOCK_TABLE = 'voxbatch_migrations_lock';
/** The version that a ledger records whose layout predates 0.1: one of these. */
export const FORMER_VERSIONS = ['0001-first', 'v1'] as const;

/**
 * Migrates the tables, forwards only. Accepts a ledger with tables of a newer version, unless that version excludes
 * older programs. Throws {@link LedgerTooNew} for such a ledger and {@link LedgerUnreachable} for a database of another
 * program, and leaves both untouched. Returns whether the database was new, and the path of an imported former ledger;
 * undefined if there was none or another process has imported it.
 */
export async function migrate(
  db: Kysely<Schema>,
  driver: Versions & Pick<LedgerDriver, 'describe' | 'copying'>,
  place: string,
): Promise<{ readonly isNew: boolean; readonly former: string | undefined }> {
  const { versions, importFormer, describe, retryMigration, copying } = driver;
  const shown = describe(place);
  const tables = await db.introspection.getTables({ withInternalKyselyTables: true });
  const isNew = !tables.some((table) => table.name === MIGRATION_TABLE);
  if (tables.length > 0 && isNew) {
    const advice = 'Set VOXBATCH_LEDGER to another one.';
    throw new LedgerUnreachable(shown, 'it is the database of another program', advice);
  }
  let done = isNew ? [] : await versionsIn(db);
  const isFormer = FORMER_VERSIONS.some((name) => done.includes(name));
  const former = isFormer ? await importFormer?.(place) : undefined;
  if (isFormer) done = await versionsIn(db);
  const known = Object.keys(versions);
  for (const unknown of done.filter((name) => !known.includes(name))) {
    const oldest = await readFact(db, oldestFor(unknown));
    if (oldest === undefined || !known.includes(oldest)) throw new LedgerTooNew(shown, unknown);
  }
  if (known.every((name) => done.includes(name))) return { isNew, former };
  const migrator = new Migrator({
    db,
    provider: {
      getMigrations: () =>
        Promise.resolve(
          Object.fromEntries(
            Object.entries(versions).map(([name, one]) => [
              name,
              { up: upTo(name, one, name === known.at(-1), copying) },
            ]),
          ),
        ),
    },
    migrationTableName: MIGRATION_TABLE,
    migrationLockTableName: MIGRATION_LOCK_TABLE,
  });
  const once = async (): Promise<void> => {
    const { error } = await migrator.migrateToLatest();
    if (error !== undefined)
      throw error instanceof Error ? error : new Error('The migration failed.', { cause: error });
  };
  await (retryMigration?.(db, place, once) ?? once());
  return { isNew, former };
}

/** Names of the versions that a database has, in the order in which they were made. */
export async function versionsIn(db: Kysely<Schema>): Promise<readonly string[]> {
  const lines = await db
    .withTables<{ [MIGRATION_TABLE]: { name: string } }>()
    .selectFrom(MIGRATION_TABLE)
    .select('name')
    .execute();
  return lines.map((line) => line.name);
}

/** Name of the fact that records the oldest version whose programs may work on a ledger that has this one. */
function oldestFor(version: string): string {
  return `oldest-for-${version}`;
}

/**
 * Wraps a version's migration: it also records the oldest version whose programs may still work on the ledger. A
 * read-only ledger is migrated, too, so that it can be read: the triggers that guard it are dropped for each version,
 * and created again after the last one, on new tables as well.
 */
function upTo(name: string, { up, oldest }: Version, isLast: boolean, copying: LedgerDriver['copying']): Version['up'] {
  return async (db) => {
    await up(db);
    const tx = db as Kysely<Schema>;
    const { readOnly } = await readLedgerFacts(tx);
    const guards = readOnly && (await copying());
    await guards?.unguard(tx);
    await setFact(tx, oldestFor(name), oldest);
    if (isLast && readOnly !== undefined) await guards?.guard(tx, guardWords(readOnly));
  };
}

/** When and by which version a ledger says it was created. Its creator can make it say anything. */
export interface LedgerOrigin {
  /** When its first table was created, ms; null if not recorded. */
  readonly madeAt: number | null;
  /** False if the version that created it also keeps an external record of the user's ledgers. */
  readonly isOfEarlierVersion: boolean;
}

/** The fact that its creator also lists the ledger in the user's record of own ledgers. */
const RECORDED = 'recorded-outside';

/** Reads a ledger's origin. Marks a new one as listed in its user's external record. */
async function readOrigin(db: Kysely<Schema>, isNew: boolean): Promise<LedgerOrigin> {
  if (isNew) {
    // Another process may have made it at the same moment.
    await keepFact(db, RECORDED, 'true');
  }
  const recorded = await readFact(db, RECORDED);
  const first = await db
    .withTables<{ [MIGRATION_TABLE]: { name: string; timestamp: string } }>()
    .selectFrom(MIGRATION_TABLE)
    .select('timestamp')
    .orderBy('name')
    .executeTakeFirst();
  // A view could always claim to have been created a moment ago.
  const tables = await db.introspection.getTables({ withInternalKyselyTables: true });
  const isTable = tables.some(({ name, isView }) => name === MIGRATION_TABLE && !isView);
  const madeAt = isTable ? Date.parse(first?.timestamp ?? '') : NaN;
  return { madeAt: Number.isNaN(madeAt) ? null : madeAt, isOfEarlierVersion: recorded === undefined };
}
