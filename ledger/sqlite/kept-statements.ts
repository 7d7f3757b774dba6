import type Database from 'libsql';
import type { SqliteDatabase, SqliteStatement } from 'kysely';
import { explain } from './errors.ts';

/** Max prepared statements in the cache. */
const MAX_STATEMENTS = 200;

/**
 * A database with a cache of prepared statements. The ledger runs the same few dozen queries thousands of times, and
 * preparing took a third of each query's time; more for a change of `rows`, whose triggers are compiled with it. Lists
 * of varying length keep producing new statements, so the least recently used one is evicted: otherwise the lists of a
 * starting batch would crowd out those that each row needs. The driver runs one query at a time on one connection, so a
 * statement is never used twice at once. A failed statement is not reused.
 */
export class KeptStatements implements SqliteDatabase {
  readonly #database: Database.Database;
  readonly #path: string;
  /** The cached statements, the least recently used first. */
  readonly #kept = new Map<string, Statement>();
  /** SQLite's version of the schema for which they were prepared. */
  #schemaVersion: unknown;
  #isClosed = false;

  constructor(database: Database.Database, path: string) {
    this.#database = database;
    this.#path = path;
  }

  close(): void {
    this.#isClosed = true;
    this.#kept.clear();
    this.#database.close();
  }

  /** Whether a transaction is open; false once the database is closed. */
  get inTransaction(): boolean {
    return !this.#isClosed && this.#database.inTransaction;
  }

  /** Executes statements that return no rows. */
  exec(sql: string): void {
    this.#opened().exec(sql);
  }

  prepare(sql: string): Statement {
    return this.#keep(sql, sql);
  }

  /** Returns the statement cached under this name; prepares it if needed. */
  #keep(name: string, sql: string): Statement {
    const statement = this.#kept.get(name) ?? new Statement(this.#opened().prepare(sql), () => this.#kept.delete(name));
    this.#kept.delete(name);
    const [oldest] = this.#kept.keys();
    if (oldest !== undefined && this.#kept.size >= MAX_STATEMENTS) this.#kept.delete(oldest);
    this.#kept.set(name, statement);
    return statement;
  }

  /**
   * Called when a transaction begins: drops all statements if another process has changed the tables, whose columns may
   * have moved.
   */
  checkSchema(): void {
    const [version] = this.execute('pragma schema_version', [], 'one') as readonly {
      readonly schema_version: number;
    }[];
    if (this.#schemaVersion === version?.schema_version) return;
    this.#schemaVersion = version?.schema_version;
    this.#kept.clear();
    // SQLite only notices changed tables when it runs a statement. Until then it would prepare against the old ones.
    this.exec('select 1 from sqlite_schema limit 1');
  }

  /**
   * Executes a statement at once, inside a transaction that the caller holds. `count` limits the lines returned; `one`
   * is only for reads. Throws {@link LedgerUnreachable} if the file or disk fails.
   */
  execute(sql: string, parameters: readonly unknown[], count: 'one' | 'all'): readonly unknown[] {
    try {
      // libsql's `get` ignores new parameters after `all` was used on the same statement, so each gets its own
      // statement.
      if (count === 'one') return this.#keep(`one: ${sql}`, sql).first(parameters);
      const statement = this.prepare(sql);
      if (statement.reader) return statement.lines(parameters);
      statement.run(parameters);
      return [];
    } catch (error) {
      throw explain(this.#path, error);
    }
  }

  /**
   * Returns the database. Throws if it is closed: late work may arrive then, and libsql 0.5.29 aborts the whole process
   * if a closed database is used.
   */
  #opened(): Database.Database {
    if (this.#isClosed) throw new Error(`the ledger ${this.#path} is closed`);
    return this.#database;
  }
}

/** A prepared statement. */
class Statement implements SqliteStatement {
  readonly reader: boolean;
  readonly #statement: Database.Statement;
  readonly #onFailed: () => void;
  /** Column names. Once they are known, the statement returns arrays instead of objects. */
  #names: readonly string[] | undefined;

  constructor(statement: Database.Statement, onFailed: () => void) {
    this.#statement = statement;
    this.#onFailed = onFailed;
    this.reader = statement.reader;
  }

  all(parameters: readonly unknown[]): unknown[] {
    return this.#guarded(() => this.#asObjects().all(parameters));
  }

  iterate(parameters: readonly unknown[]): IterableIterator<unknown> {
    return this.#guarded(() => this.#asObjects().iterate(parameters));
  }

  run(parameters: readonly unknown[]): Database.RunResult {
    return this.#guarded(() => this.#statement.run(parameters));
  }

  /**
   * All lines. libsql builds an array in two thirds of the time of an object (docs/decisions/cpu.md). The columns must
   * not have changed since the first call.
   */
  lines(parameters: readonly unknown[]): readonly object[] {
    return this.#guarded(() => {
      const names = this.#asArrays();
      return (this.#statement.all(parameters) as Values[]).map((values) => toLine(names, values));
    });
  }

  /** The first line, if there is one, in half the time. A statement used this way must not be used any other way. */
  first(parameters: readonly unknown[]): readonly object[] {
    return this.#guarded(() => {
      const names = this.#asArrays();
      const values = this.#statement.get(parameters) as Values | undefined;
      return values === undefined ? [] : [toLine(names, values)];
    });
  }

  #asArrays(): readonly string[] {
    if (this.#names === undefined) {
      this.#statement.raw(true);
      this.#names = this.#statement.columns().map(({ name }) => name);
    }
    return this.#names;
  }

  #asObjects(): Database.Statement {
    if (this.#names !== undefined) {
      this.#statement.raw(false);
      this.#names = undefined;
    }
    return this.#statement;
  }

  /** A failed statement is not reused. */
  #guarded<R>(act: () => R): R {
    try {
      return act();
    } catch (error) {
      this.#onFailed();
      throw error;
    }
  }
}

type Values = readonly unknown[];

function toLine(names: readonly string[], values: Values): object {
  const line: Record<string, unknown> = {};
  // Half the time of an iterator over entries, and a scan comes here for each row and charge.
  for (let at = 0; at < names.length; at += 1) line[names[at] ?? ''] = values[at];
  return line;
}
