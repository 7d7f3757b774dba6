import {
  CompiledQuery,
  sql,
  PostgresAdapter,
  PostgresQueryCompiler,
  type DatabaseIntrospector,
  type DatabaseMetadata,
  type Dialect,
  type Driver,
  type Kysely,
  type SchemaMetadata,
  type TableMetadata,
  type TransactionSettings,
} from 'kysely';
import pg from 'pg';
import type { UnitAdapter, UnitOfWork } from '../database/unit-of-work.ts';
import { LedgerMissing } from '../errors.ts';
import { MIGRATION_TABLE } from '../migrate.ts';
import { connectionTo, LedgerConnection } from './connection.ts';
import { describePlace } from './describe-place.ts';
import { explain } from './errors.ts';

/** Connections of a process: one writes, the others look. */
const MOST_CONNECTIONS = 4;
/** Key of the lock on migrations. */
const MIGRATIONS = 1;

/**
 * Opens a ledger in a schema of its own, which it creates if needed. Throws `LedgerUnreachable`, and `LedgerMissing` if
 * it must exist.
 */
export async function openPostgres(place: string, mustExist: boolean): Promise<Dialect> {
  const { config, schema } = connectionTo(place);
  const pool = new pg.Pool({ ...config, pipeline: true, max: MOST_CONNECTIONS });
  // Without a listener, a connection that breaks while idle would end the process. The next query reports it.
  pool.on('error', () => undefined);
  try {
    const { rows } = await pool.query(`select to_regnamespace($1) as found, to_regclass($2) as tables`, [
      pg.escapeIdentifier(schema),
      `${pg.escapeIdentifier(schema)}.${MIGRATION_TABLE}`,
    ]);
    const [{ found, tables } = {}] = rows as { readonly found?: unknown; readonly tables?: unknown }[];
    if (mustExist && tables === null) throw new LedgerMissing(describePlace(place));
    if (found === null) await pool.query(`create schema if not exists ${pg.escapeIdentifier(schema)}`);
  } catch (error) {
    await pool.end();
    throw error instanceof LedgerMissing ? error : explain(place, error);
  }
  const driver = new LedgerDriver(pool, place);
  return {
    createAdapter: () => new LedgerAdapter(driver),
    createDriver: () => driver,
    createIntrospector: (db: Kysely<unknown>) => new SchemaIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  };
}

/** Sees the tables of the ledger's schema only: a database may have thousands of others. */
class SchemaIntrospector implements DatabaseIntrospector {
  readonly #db: Kysely<unknown>;

  constructor(db: Kysely<unknown>) {
    this.#db = db;
  }

  getSchemas(): Promise<SchemaMetadata[]> {
    return Promise.resolve([]);
  }

  /** Names only: nobody asks for columns. */
  async getTables(): Promise<TableMetadata[]> {
    const { rows } = await sql<{ readonly name: string; readonly kind: string }>`
      select relname as name, relkind as kind from pg_class
      where relnamespace = current_schema()::regnamespace and relkind in ('r', 'v')`.execute(this.#db);
    return rows.map(({ name, kind }) => ({ name, isView: kind === 'v', columns: [] }));
  }

  async getMetadata(): Promise<DatabaseMetadata> {
    return { tables: await this.getTables() };
  }
}

/** Locks migrations of this ledger, not those of all in the database. */
class LedgerAdapter extends PostgresAdapter implements UnitAdapter {
  readonly #driver: LedgerDriver;

  constructor(driver: LedgerDriver) {
    super();
    this.#driver = driver;
  }

  beginUnit(): UnitOfWork {
    return this.#driver.beginUnit();
  }

  override async acquireMigrationLock(db: Kysely<unknown>): Promise<void> {
    await sql`select pg_advisory_xact_lock(hashtext(current_schema()), ${MIGRATIONS})`.execute(db);
  }

  /** The end of the migration's transaction releases it. */
  override releaseMigrationLock(): Promise<void> {
    return Promise.resolve();
  }
}

class LedgerDriver implements Driver {
  readonly #pool: pg.Pool;
  readonly #place: string;
  readonly #known = new WeakMap<pg.PoolClient, LedgerConnection>();
  #writing: LedgerConnection | undefined;

  constructor(pool: pg.Pool, place: string) {
    this.#pool = pool;
    this.#place = place;
  }

  init(): Promise<void> {
    return Promise.resolve();
  }

  async acquireConnection(): Promise<LedgerConnection> {
    try {
      const client = await this.#pool.connect();
      let connection = this.#known.get(client);
      if (connection === undefined) {
        // Without a listener, a connection that breaks between two queries would end the process.
        client.on('error', () => undefined);
        connection = new LedgerConnection(client, this.#place);
        this.#known.set(client, connection);
      }
      return connection;
    } catch (error) {
      throw explain(this.#place, error);
    }
  }

  releaseConnection(connection: LedgerConnection): Promise<void> {
    connection.release();
    return Promise.resolve();
  }

  /**
   * Writers of all processes follow one another: the lock is taken first, and each later statement sees what the
   * writers before have committed. Readers see one moment, and wait for nobody.
   */
  beginTransaction(connection: LedgerConnection, { accessMode }: TransactionSettings): Promise<void> {
    if (accessMode === 'read only') connection.send('begin isolation level repeatable read read only', []);
    else {
      connection.send('begin; select pg_advisory_xact_lock(hashtext(current_schema()))', []);
      this.#writing = connection;
    }
    return Promise.resolve();
  }

  /** The unit of work of the transaction that has just begun: a process writes one at a time. */
  beginUnit(): UnitOfWork {
    if (this.#writing === undefined) throw new Error('No write transaction has begun.');
    return this.#writing.beginUnit();
  }

  async commitTransaction(connection: LedgerConnection): Promise<void> {
    await connection.commit();
  }

  async rollbackTransaction(connection: LedgerConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('rollback'));
  }

  async destroy(): Promise<void> {
    await this.#pool.end();
  }
}
