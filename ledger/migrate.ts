import { Kysely, Migrator, type Dialect } from 'kysely';
import { defined } from '../contract/defined.ts';
import { withoutSecrets } from '../contract/url-scheme.ts';
import { withClock } from './database/transactions.ts';
import type { LedgerDriver, LockMethods, Reserve, Versions } from './driver.ts';
import { LedgerTooNew, LedgerUnreachable } from './errors.ts';
import type { Clock, Db, Schema } from './schema.ts';

/** An open database, and the locks beside it. */
export interface OpenDatabase {
  readonly db: Db;
  readonly id: string;
  readonly origin: LedgerOrigin;
  readonly place: string;
  readonly locks: LockMethods;
  readonly findStrange: () => Promise<readonly string[]>;
  /** Room kept for answers; undefined: none. */
  readonly reserve?: Reserve;
  readonly former?: string;
}

/** Opens a database, and brings its tables up to date. `hasReserve`: keep room for answers. Default of `clock`: the system. */
export async function databaseOf(
  dialect: Dialect,
  driver: LedgerDriver,
  place: string,
  hasReserve: boolean,
  clock: Clock = { now: () => Date.now() },
): Promise<OpenDatabase> {
  const db = withClock(new Kysely<Schema>({ dialect }), clock);
  try {
    const reserve = hasReserve ? await driver.reserveOf(place) : undefined;
    reserve?.hold();
    const { isNew, former } = await migrate(db, driver, place);
    const { value: id } = await db
      .selectFrom('facts')
      .select('value')
      .where('name', '=', 'id')
      .executeTakeFirstOrThrow();
    const origin = await readOrigin(db, isNew);
    const locks = await driver.locksOf(place);
    const findStrange = (): Promise<readonly string[]> => driver.strangeParts(db);
    return { db, id, origin, place: withoutSecrets(place), locks, findStrange, ...defined({ reserve, former }) };
  } catch (error) {
    await db.destroy();
    throw error;
  }
}

/** Table in which the database records its versions. */
export const MIGRATION_TABLE = 'voxbatch_migrations';
/** Table by which migrating processes lock each other out. */
const MIGRATION_LOCK_TABLE = 'voxbatch_migrations_lock';
/** On record in ledgers of layouts from before 0.1: one of these. */
export const FORMER_VERSIONS = ['0001-first', 'v1'] as const;

/**
 * Brings the tables up to date. Leaves databases of other programs and of newer versions alone: throws {@link LedgerUnreachable} and {@link
 * LedgerTooNew}. Returns whether there were none, and where the ledger of a former layout is kept; undefined: it was none, or another process has
 * read it in.
 */
export async function migrate(
  db: Kysely<Schema>,
  { versions, importFormer }: Versions,
  place: string,
): Promise<{ readonly isNew: boolean; readonly former: string | undefined }> {
  const shown = withoutSecrets(place);
  const tables = await db.introspection.getTables({ withInternalKyselyTables: true });
  const isNew = !tables.some((table) => table.name === MIGRATION_TABLE);
  if (tables.length > 0 && isNew) {
    const advice = 'Set VOXBATCH_LEDGER to another file.';
    throw new LedgerUnreachable(shown, 'it is the database of another program', advice);
  }
  let done = isNew ? [] : await versionsIn(db);
  const isFormer = FORMER_VERSIONS.some((name) => done.includes(name));
  const former = isFormer ? await importFormer?.(place) : undefined;
  if (isFormer) done = await versionsIn(db);
  const known = Object.keys(versions);
  const stranger = done.find((name) => !known.includes(name));
  if (stranger !== undefined) throw new LedgerTooNew(shown, stranger);
  if (known.every((name) => done.includes(name))) return { isNew, former };
  const migrator = new Migrator({
    db,
    provider: {
      getMigrations: () =>
        Promise.resolve(Object.fromEntries(Object.entries(versions).map(([name, up]) => [name, { up }]))),
    },
    migrationTableName: MIGRATION_TABLE,
    migrationLockTableName: MIGRATION_LOCK_TABLE,
  });
  const { error } = await migrator.migrateToLatest();
  if (error !== undefined) throw error instanceof Error ? error : new Error('The migration failed.', { cause: error });
  return { isNew, former };
}

async function versionsIn(db: Kysely<Schema>): Promise<readonly string[]> {
  const lines = await db
    .withTables<{ [MIGRATION_TABLE]: { name: string } }>()
    .selectFrom(MIGRATION_TABLE)
    .select('name')
    .execute();
  return lines.map((line) => line.name);
}

/** When and by what a ledger was made, as it says itself: whoever made it can have it say anything. */
export interface LedgerOrigin {
  /** When its first table was made, ms; null: it does not say. */
  readonly madeAt: number | null;
  /** False if it was made by a version that records outside of it which ledgers its user has made. */
  readonly isOfEarlierVersion: boolean;
}

const RECORDED = 'recorded-outside';

/** Reads where a ledger comes from. One that is new says from now on that its user's record has it. */
async function readOrigin(db: Kysely<Schema>, isNew: boolean): Promise<LedgerOrigin> {
  if (isNew) {
    const fact = db.insertInto('facts').values({ name: RECORDED, value: 'true' });
    // Another process may have made it at the same moment.
    await fact.onConflict((conflict) => conflict.doNothing()).execute();
  }
  const recorded = await db.selectFrom('facts').select('value').where('name', '=', RECORDED).executeTakeFirst();
  const first = await db
    .withTables<{ [MIGRATION_TABLE]: { name: string; timestamp: string } }>()
    .selectFrom(MIGRATION_TABLE)
    .select('timestamp')
    .orderBy('name')
    .executeTakeFirst();
  // A view could say that it was made a moment ago, whenever it is asked.
  const tables = await db.introspection.getTables({ withInternalKyselyTables: true });
  const isTable = tables.some(({ name, isView }) => name === MIGRATION_TABLE && !isView);
  const madeAt = isTable ? Date.parse(first?.timestamp ?? '') : NaN;
  return { madeAt: Number.isNaN(madeAt) ? null : madeAt, isOfEarlierVersion: recorded === undefined };
}
