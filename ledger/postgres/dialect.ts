import {
  sql,
  PostgresAdapter,
  PostgresQueryCompiler,
  type DatabaseIntrospector,
  type DatabaseMetadata,
  type Dialect,
  type Driver,
  type Kysely,
  type QueryExecutorProvider,
  type SchemaMetadata,
  type TableMetadata,
  type TransactionSettings,
} from 'kysely';
import { withMemory, type Requests, type Restore } from '../database/recorded-lately.ts';
import { Outage } from '../../store/outage.ts';
import type { OpenDialect } from '../driver.ts';
import type { UnitAdapter } from '../database/unit-adapter.ts';
import type { UnitOfWork } from '../database/unit-of-work.ts';
import { CommitUnknown, LedgerAway, LedgerUnreachable } from '../errors.ts';
import { MIGRATION_TABLE } from '../migrate.ts';
import { connectionTo } from './connection-settings.ts';
import { CommitMarks } from './commit-marks.ts';
import { LedgerConnection } from './connection.ts';
import { describePlace } from './describe-place.ts';
import { explain, UNIQUE_VIOLATION } from './errors.ts';
import { MOST_WAIT_MS } from './locked-tables.ts';
import { markNumber, type KeptMark } from './marks.ts';
import { Sessions, type Session } from './sessions.ts';

/** Statements take milliseconds; a group of writes waits for those of other processes. */
const SILENCE = { ms: 10_000, problem: 'It is reached, and says nothing: it stands still, or a session holds a lock.' };
/** How long the answer to a statement may take before the connection counts as broken, ms. */
const ANSWER_MS = 60_000;
/**
 * The same of one that goes over whole tables, such as a copy or a count of everything: minutes with millions of rows.
 * A connection whose line is silent is told by TCP's own probes then, too.
 */
const WHOLE_ANSWER_MS = 3_600_000;

/**
 * Opens a ledger in a schema of its own, which it creates if it may. Waits for the server for so long, ms. Throws
 * `LedgerUnreachable`, also if there is no ledger.
 */
export async function openPostgres(
  place: string,
  { makesTables = false, isWhole = makesTables, patienceMs }: OpenDialect,
): Promise<Dialect> {
  const outage = new Outage(
    patienceMs,
    (error) => (error instanceof LedgerAway ? { problem: error.message, needsPerson: error.needsPerson } : undefined),
    SILENCE,
  );
  const { schema } = connectionTo(place);
  const sessions = new Sessions(place, outage, isWhole ? WHOLE_ANSWER_MS : ANSWER_MS);
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
  const driver = new LedgerDriver(sessions, place, outage);
  return {
    createAdapter: () => new LedgerAdapter(driver, outage),
    createDriver: () => driver,
    createIntrospector: (db: Kysely<unknown>) => new SchemaIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  };
}

/** Two processes that create it at once get past `if not exists`; who comes second hears so once it is there. */
async function createSchema(session: Session, schema: string): Promise<void> {
  try {
    await session.query(`create schema if not exists ${schema}`, []);
  } catch (error) {
    if ((error as { readonly code?: string }).code !== UNIQUE_VIOLATION) throw error;
  }
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

class LedgerAdapter extends PostgresAdapter implements UnitAdapter {
  readonly outage: Outage;
  readonly #driver: LedgerDriver;

  constructor(driver: LedgerDriver, outage: Outage) {
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
   * Otherwise the planner, which has seen no row of a new batch, would walk all of them for each claim. A role that
   * does not own the tables gets a warning, and the server does it by itself a minute later.
   */
  async afterLoading(db: QueryExecutorProvider): Promise<void> {
    await sql`analyze rows`.execute(db).catch(() => undefined);
  }

  /**
   * Each migration is a transaction of the one writer, so they need no other lock. While it waits for one on a table,
   * all that others ask of that table waits behind it.
   */
  override async acquireMigrationLock(db: Kysely<unknown>): Promise<void> {
    await sql`set lock_timeout = ${sql.lit(MOST_WAIT_MS)}`.execute(db);
  }

  override async releaseMigrationLock(db: Kysely<unknown>): Promise<void> {
    await sql`reset lock_timeout`.execute(db);
  }
}

class LedgerDriver implements Driver {
  readonly #sessions: Sessions;
  readonly #place: string;
  readonly #outage: Outage;
  readonly #marks = new CommitMarks();
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

  /** The unit of work of the transaction that has just begun: a process writes one at a time. */
  beginUnit(): UnitOfWork {
    if (this.#writing === undefined) throw new Error('No write transaction has begun.');
    return this.#writing.beginUnit(this.#marks.next(), this.#marks.kept);
  }

  /** Its number; 0 if there was none. */
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
      // What fails stays noted as missing.
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

  /** A broken connection has rolled back by itself. */
  async rollbackTransaction(connection: LedgerConnection): Promise<void> {
    if (connection.isRefused) this.#marks.noteRefusal();
    await connection.rollback().catch((error: unknown) => {
      if (!(error instanceof LedgerAway)) throw error;
    });
  }

  limitAnswers(): void {
    this.#sessions.limitAnswers();
  }

  /** Where the server does not answer, its mark stays, as those of processes that were killed. */
  async destroy(): Promise<void> {
    try {
      if (!this.#sessions.isSilent) await this.#marks.remove(this.#sessions);
    } finally {
      await this.#sessions.close();
    }
  }
}
