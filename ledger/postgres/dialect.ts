import {
  sql,
  PostgresAdapter,
  PostgresQueryCompiler,
  type DatabaseIntrospector,
  type DatabaseMetadata,
  type Driver,
  type Kysely,
  type QueryExecutorProvider,
  type SchemaMetadata,
  type TableMetadata,
  type TransactionSettings,
} from 'kysely';
import { withMemory, type Requests, type Restore } from '../database/recorded-lately.ts';
import { Outage } from '../../store/outage.ts';
import type { JsonDialect, OpenDialect } from '../driver.ts';
import type { UnitAdapter } from '../database/unit-adapter.ts';
import type { UnitOfWork } from '../database/unit-of-work.ts';
import { CommitUnknown, LedgerAway, LedgerUnreachable } from '../errors.ts';
import { MIGRATION_TABLE } from '../migrate.ts';
import type { JsonAdapter } from '../rows/json-member.ts';
import { connectionTo } from './connection-settings.ts';
import { CommitMarks } from './commit-marks.ts';
import { LedgerConnection } from './connection.ts';
import { describePlace } from './describe-place.ts';
import { explain, UNIQUE_VIOLATION } from './errors.ts';
import { MAX_WAIT_MS } from './locked-tables.ts';
import { markNumber, type KeptMark } from './marks.ts';
import type { Session } from './session.ts';
import { Sessions } from './sessions.ts';

/** An answer that takes this long counts as an outage: statements take ms, and waiting for other writers not long. */
const SILENCE = { ms: 10_000, problem: 'It is reached, and says nothing: it stands still, or a session holds a lock.' };
/** How long the answer to a statement may take before the connection counts as broken, ms. */
const ANSWER_MS = 60_000;
/**
 * The same for statements over whole tables, such as a copy or a count of everything, which take minutes with millions
 * of rows. TCP keepalive detects a dead connection earlier.
 */
const WHOLE_ANSWER_MS = 3_600_000;

/**
 * Opens a ledger in its own schema. With `makesTables` creates the schema if needed; the migration then creates the
 * tables. Waits up to `patienceMs` for the server. Throws `LedgerUnreachable`, also if there is no ledger.
 */
export async function openPostgres(
  place: string,
  { makesTables = false, readsWholeTables = makesTables, patienceMs }: OpenDialect,
): Promise<JsonDialect> {
  const outage = new Outage(
    patienceMs,
    (error) => (error instanceof LedgerAway ? { problem: error.message, needsPerson: error.needsPerson } : undefined),
    SILENCE,
  );
  const { schema } = connectionTo(place);
  const sessions = new Sessions(place, outage, readsWholeTables ? WHOLE_ANSWER_MS : ANSWER_MS);
  try {
    await sessions.using(async (session) => {
      const [{ found, tables } = {}] = (
        await session.query('select to_regnamespace($1) as found, to_regclass($2) as tables', [
          schema,
          `${schema}.${MIGRATION_TABLE}`,
        ])
      ).rows as { readonly found?: unknown; readonly tables?: unknown }[];
      if (!makesTables && tables === null) {
        const advice =
          'Correct VOXBATCH_LEDGER; or, if it is being restored there, wait until that has ended, and make none; or, if a new one is to begin there, make it as the owner of the database: voxbatch ledger migrate';
        throw new LedgerUnreachable(describePlace(place), `there is no ledger in its schema "${schema}"`, advice);
      }
      if (found === null) await createSchema(session, schema);
    });
  } catch (error) {
    await sessions.close();
    throw explain(place, error);
  }
  const driver = new SessionDriver(sessions, place, outage);
  return {
    createAdapter: () => new LedgerAdapter(driver, outage),
    createDriver: () => driver,
    createIntrospector: (db: Kysely<unknown>) => new SchemaIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  };
}

/**
 * Creates the schema. Of two processes that do so at once, the second gets an error although it says `if not exists`.
 */
async function createSchema(session: Session, schema: string): Promise<void> {
  try {
    await session.query(`create schema if not exists ${schema}`, []);
  } catch (error) {
    if ((error as { readonly code?: string }).code !== UNIQUE_VIOLATION) throw error;
  }
}

/** Lists only the tables of the ledger's schema: a database may have thousands of others. */
class SchemaIntrospector implements DatabaseIntrospector {
  readonly #db: Kysely<unknown>;

  constructor(db: Kysely<unknown>) {
    this.#db = db;
  }

  getSchemas(): Promise<SchemaMetadata[]> {
    return Promise.resolve([]);
  }

  /** Names and kinds only: no caller needs columns. */
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

class LedgerAdapter extends PostgresAdapter implements UnitAdapter, JsonAdapter {
  readonly jsonCast = '::json';
  readonly outage: Outage;
  readonly #driver: SessionDriver;

  constructor(driver: SessionDriver, outage: Outage) {
    super();
    this.#driver = driver;
    this.outage = outage;
  }

  stopWaiting(): void {
    this.outage.limit(0);
    this.#driver.limitAnswers();
  }

  beginUnit(): UnitOfWork {
    return this.#driver.beginUnit();
  }

  withMemory<Ledger extends object>(ledger: Ledger): Ledger {
    return withMemory(ledger as Ledger & Requests, {
      onAccepted: (restore) => {
        this.#driver.onAccepted = restore;
      },
      lastCommit: () => this.#driver.lastCommit,
    });
  }

  /**
   * Updates the statistics of `rows`: without them, the planner would scan all rows of a new batch for each claim. A
   * role that does not own the tables only gets a warning; the server then does it by itself a minute later.
   */
  async afterLoading(db: QueryExecutorProvider): Promise<void> {
    await sql`analyze rows`.execute(db).catch(() => undefined);
  }

  /**
   * Each migration is a write transaction, so the writers' lock suffices. Limits how long it waits for the lock of a
   * table, because all other statements on that table wait behind it.
   */
  override async acquireMigrationLock(db: Kysely<unknown>): Promise<void> {
    await sql`set lock_timeout = ${sql.lit(MAX_WAIT_MS)}`.execute(db);
  }

  override async releaseMigrationLock(db: Kysely<unknown>): Promise<void> {
    await sql`reset lock_timeout`.execute(db);
  }
}

/** Kysely driver: hands out connections, and settles commits whose answer was lost. */
class SessionDriver implements Driver {
  readonly #sessions: Sessions;
  readonly #place: string;
  readonly #outage: Outage;
  readonly #marks = new CommitMarks();
  /** The connection of the present write transaction: a process has one at a time. */
  #writing: LedgerConnection | undefined;
  /** Called after the first commit to a copy of the database that a person has accepted. */
  onAccepted: Restore = () => Promise.resolve();

  constructor(sessions: Sessions, place: string, outage: Outage) {
    this.#sessions = sessions;
    this.#place = place;
    this.#outage = outage;
  }

  init(): Promise<void> {
    return Promise.resolve();
  }

  async acquireConnection(): Promise<LedgerConnection> {
    const renew = (broken: Session): Promise<Session> => {
      this.#sessions.put(broken);
      return this.#sessions.open();
    };
    return new LedgerConnection(await this.#sessions.get(), this.#place, this.#outage, renew);
  }

  releaseConnection(connection: LedgerConnection): Promise<void> {
    this.#sessions.put(connection.release());
    return Promise.resolve();
  }

  beginTransaction(connection: LedgerConnection, { accessMode }: TransactionSettings): Promise<void> {
    if (accessMode === 'read only') connection.beginReading();
    else {
      connection.beginWriting();
      this.#writing = connection;
    }
    return Promise.resolve();
  }

  /** Begins the unit of work of the write transaction that has just begun. */
  beginUnit(): UnitOfWork {
    if (this.#writing === undefined) throw new Error('No write transaction has begun.');
    return this.#writing.beginUnit(this.#marks.next(), this.#marks.kept);
  }

  /** Number of the last transaction that was committed; 0 if there was none. */
  get lastCommit(): number {
    return markNumber(this.#marks.kept?.value);
  }

  /**
   * Returns once the transaction is known to be committed. Throws {@link CommitUnknown}, or the error if it is known
   * not to be.
   */
  async commitTransaction(connection: LedgerConnection): Promise<void> {
    try {
      await connection.commit();
    } catch (error) {
      const { mark } = connection;
      if (mark === undefined) throw error;
      if (!(await this.#wasCommitted(mark))) throw error;
    }
    if (connection.mark === undefined) return;
    const { kept, writersBefore: writers } = this.#marks;
    this.#marks.keep(connection.mark);
    if (kept !== undefined && kept.acceptedAs !== connection.mark.acceptedAs) {
      // If it fails, this process stays recorded as one that has not reported (`database/copy-senders.ts`).
      this.onAccepted({ mark: connection.mark.name, writers }).catch(() => undefined);
    }
  }

  async #wasCommitted(mark: KeptMark): Promise<boolean> {
    try {
      return await this.#outage.repeat(() => this.#marks.wasCommitted(this.#sessions, mark));
    } catch (error) {
      throw new CommitUnknown(describePlace(this.#place), error);
    }
  }

  /** Rolls back. Ignores a broken connection, whose transaction the server rolls back. */
  async rollbackTransaction(connection: LedgerConnection): Promise<void> {
    if (connection.isRefused) this.#marks.noteRefusal();
    await connection.rollback().catch((error: unknown) => {
      if (!(error instanceof LedgerAway)) throw error;
    });
  }

  limitAnswers(): void {
    this.#sessions.limitAnswers();
  }

  /** Removes this process's mark, if the server answers, and closes all sessions. */
  async destroy(): Promise<void> {
    try {
      if (!this.#sessions.isSilent) await this.#marks.remove(this.#sessions);
    } finally {
      await this.#sessions.close();
    }
  }
}
