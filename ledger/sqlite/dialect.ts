import { dirname, resolve } from 'node:path';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import Database from 'libsql';
import {
  CompiledQuery,
  SqliteAdapter,
  SqliteDialect,
  SqliteDriver,
  type DatabaseConnection,
  type Driver,
  type QueryResult,
  type TransactionSettings,
} from 'kysely';
import { moveAdvice } from '../../contract/other-disk.ts';
import type { DirectAdapter } from '../database/prepared.ts';
import type { JsonDialect } from '../driver.ts';
import { LedgerUnreachable } from '../errors.ts';
import type { JsonAdapter } from '../rows/json-member.ts';
import { KeptStatements } from './kept-statements.ts';
import { BUSY_TIMEOUT_MS, codeOf, explain } from './errors.ts';

/**
 * Opens a database file, creating it if needed, with the settings that the promises rest on: WAL (readers never wait
 * for the writer) and `synchronous=FULL` (a commit that returned survives a power cut).
 *
 * Throws {@link LedgerUnreachable}.
 */
export async function openSqlite(path: string): Promise<JsonDialect> {
  try {
    const database = new Database(path, { timeout: BUSY_TIMEOUT_MS });
    try {
      // Uses `exec`, which cleans up after itself: libsql never finalises a prepared statement that failed, and a
      // connection with such a statement can never commit.
      await retryWhileBusy(() => {
        database.exec('pragma journal_mode = wal');
      });
      const [mode] = database.prepare('pragma journal_mode').pluck().all([]);
      if (mode !== 'wal') {
        throw new LedgerUnreachable(
          path,
          `its file system does not support SQLite's write-ahead log (journal mode: ${String(mode)})`,
          moveAdvice(resolve(dirname(path))),
        );
      }
      database.exec('pragma synchronous = full');
      database.exec('pragma foreign_keys = on');
    } catch (error) {
      database.close();
      throw error;
    }
    return new LedgerDialect(database, path);
  } catch (error) {
    throw explain(path, error);
  }
}

class LedgerDialect extends SqliteDialect {
  readonly #statements: KeptStatements;
  readonly #path: string;

  constructor(database: Database.Database, path: string) {
    super({ database });
    this.#statements = new KeptStatements(database, path);
    this.#path = path;
  }

  override createDriver(): Driver {
    return new SqliteLedgerDriver(this.#statements, this.#path);
  }

  override createAdapter(): LedgerAdapter {
    return new LedgerAdapter(this.#statements);
  }
}

class LedgerAdapter extends SqliteAdapter implements DirectAdapter, JsonAdapter {
  readonly jsonCast = '';
  readonly #statements: KeptStatements;

  constructor(statements: KeptStatements) {
    super();
    this.#statements = statements;
  }

  /**
   * Lets the migrator run in one (immediate) transaction: two processes that start at once migrate one after the other.
   */
  override get supportsTransactionalDdl(): boolean {
    return true;
  }

  executeNow(sql: string, parameters: readonly unknown[], count: 'one' | 'all'): readonly unknown[] {
    return this.#statements.execute(sql, parameters, count);
  }
}

class SqliteLedgerDriver extends SqliteDriver {
  readonly #statements: KeptStatements;
  readonly #path: string;

  constructor(statements: KeptStatements, path: string) {
    super({ database: statements });
    this.#statements = statements;
    this.#path = path;
  }

  override async acquireConnection(): Promise<DatabaseConnection> {
    return new ExplainingConnection(await super.acquireConnection(), this.#path);
  }

  /**
   * Writers take the write lock at once: a deferred transaction that first reads and then writes would fail with
   * SQLITE_BUSY as soon as another process wrote in between. We wait for the lock ourselves, because SQLite's own wait
   * would block the whole process, and heartbeats must continue. Reads wait in SQLite: they find the database locked
   * only for the moment in which another process creates it, recovers it after a kill, or is the last to close it.
   */
  override async beginTransaction(connection: DatabaseConnection, settings?: TransactionSettings): Promise<void> {
    if (settings?.accessMode === 'read only') {
      await connection.executeQuery(CompiledQuery.raw('begin'));
      this.#checkSchema();
      return;
    }
    // Calls into SQLite are synchronous, so a loop over the ledger would never give timers and sockets a turn.
    await nextTurn();
    try {
      await retryWhileBusy(() => {
        try {
          this.#statements.exec('pragma busy_timeout = 0; begin immediate');
        } finally {
          this.#statements.exec(`pragma busy_timeout = ${String(BUSY_TIMEOUT_MS)}`);
        }
      });
    } catch (error) {
      throw explain(this.#path, error);
    }
    this.#checkSchema();
  }

  /** Drops outdated statements. If that fails, rolls back, because Kysely does not roll back a failed begin. */
  #checkSchema(): void {
    try {
      this.#statements.checkSchema();
    } catch (error) {
      if (this.#statements.inTransaction) this.#statements.exec('rollback');
      throw error;
    }
  }

  /** After a full disk, for example, SQLite has rolled back by itself; a second rollback would hide the first error. */
  override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    if (this.#statements.inTransaction) await super.rollbackTransaction(connection);
  }

  /**
   * Checkpoints the log into the database file first, so that a copy of that one file is a whole ledger. Waits for
   * nobody.
   */
  override async destroy(): Promise<void> {
    try {
      this.#statements.exec('pragma wal_checkpoint(passive)');
    } catch {
      // For example, a full disk. Nothing is lost: the log next to the file holds the data, and the next opening reads
      // it.
    }
    await super.destroy();
  }
}

/** A connection that converts SQLite's errors about disks, rights and locks into the ledger's. */
class ExplainingConnection implements DatabaseConnection {
  readonly #inner: DatabaseConnection;
  readonly #path: string;

  constructor(inner: DatabaseConnection, path: string) {
    this.#inner = inner;
    this.#path = path;
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    try {
      return await this.#inner.executeQuery<R>(query);
    } catch (error) {
      throw explain(this.#path, error);
    }
  }

  streamQuery<R>(query: CompiledQuery, chunkSize: number): AsyncIterableIterator<QueryResult<R>> {
    return this.#inner.streamQuery<R>(query, chunkSize);
  }
}

/** Retries an action that fails because another process writes, for up to {@link BUSY_TIMEOUT_MS}. */
export async function retryWhileBusy<R>(action: () => R): Promise<R> {
  const giveUpAt = performance.now() + BUSY_TIMEOUT_MS;
  for (let wait = 1; ; wait = Math.min(wait * 2, 5)) {
    try {
      return action();
    } catch (error) {
      if (!codeOf(error).startsWith('SQLITE_BUSY') || performance.now() > giveUpAt) throw error;
      // Of random length, so that waiting processes do not try in step.
      await sleep(wait * (0.5 + Math.random()));
    }
  }
}
