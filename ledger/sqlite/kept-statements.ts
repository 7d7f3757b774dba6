import type Database from 'libsql';
import type { SqliteDatabase, SqliteStatement } from 'kysely';
import { explain } from './errors.ts';

/** Statements that are kept prepared. */
const MOST_STATEMENTS = 200;

/**
 * The database with prepared statements: the ledger runs the same few dozen queries thousands of times, and preparing
 * took a third of the time of a query; more for a change of `rows`, whose triggers are compiled with it. Lists of
 * varying length make ever new statements, so the one that was used longest ago makes room: otherwise the lists of a
 * beginning batch would keep out those that each row needs. The driver uses one connection for one query at a time, so
 * a statement is never used twice at once. A failed one is not used again.
 */
export class KeptStatements implements SqliteDatabase {
  readonly #database: Database.Database;
  readonly #path: string;
  /** In order of their last use. */
  readonly #kept = new Map<string, SqliteStatement>();

  constructor(database: Database.Database, path: string) {
    this.#database = database;
    this.#path = path;
  }

  close(): void {
    this.#kept.clear();
    this.#database.close();
  }

  prepare(sql: string): SqliteStatement {
    const known = this.#kept.get(sql);
    if (known !== undefined) return this.#keep(sql, known);
    const statement = this.#database.prepare(sql);
    const guarded =
      <A extends unknown[], R>(act: (...parameters: A) => R) =>
      (...parameters: A): R => {
        try {
          return act(...parameters);
        } catch (error) {
          this.#kept.delete(sql);
          throw error;
        }
      };
    const ready: SqliteStatement = {
      reader: statement.reader,
      all: guarded((parameters) => statement.all(parameters)),
      run: guarded((parameters) => statement.run(parameters)),
      iterate: guarded((parameters) => statement.iterate(parameters)),
    };
    return this.#keep(sql, ready);
  }

  #keep(sql: string, statement: SqliteStatement): SqliteStatement {
    this.#kept.delete(sql);
    const [oldest] = this.#kept.keys();
    if (oldest !== undefined && this.#kept.size >= MOST_STATEMENTS) this.#kept.delete(oldest);
    this.#kept.set(sql, statement);
    return statement;
  }

  /**
   * Executes a statement at once; the caller must hold the connection. Throws {@link LedgerUnreachable} if file or disk
   * fail.
   */
  execute(sql: string, parameters: readonly unknown[]): readonly unknown[] {
    try {
      const statement = this.prepare(sql);
      if (statement.reader) return statement.all(parameters);
      statement.run(parameters);
      return [];
    } catch (error) {
      throw explain(this.#path, error);
    }
  }
}
