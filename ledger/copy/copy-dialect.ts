import type { QueryExecutorProvider } from 'kysely';
import type { Schema, Tx } from '../schema.ts';

/** A line of a table, by the names of its columns. */
export type AnyLine = Readonly<Record<string, string | number | null>>;

/** A column whose values the database generates. */
export interface NumberedColumn {
  readonly table: keyof Schema;
  readonly column: string;
}

/** What copying a ledger needs of a kind of database. Everything happens in the caller's transaction. */
export interface CopyDialect {
  /**
   * Whether the ledger may be written to in this database: it is the one that was last written, or a copy that a person
   * has accepted.
   */
  isAccepted(tx: Tx): Promise<boolean>;
  /** Keeps everybody else from writing until the transaction ends. */
  lockTables(tx: Tx): Promise<void>;
  /** Removes every line of these tables, which are all but `facts`. To be called without counters. */
  empty(tx: Tx, tables: readonly (keyof Schema)[]): Promise<void>;
  /** Switches off the triggers that keep counts and sums, so that copied lines are not counted twice; or on again. */
  setCounters(tx: Tx, to: 'off' | 'on'): Promise<void>;
  /**
   * Makes the database refuse every later write to any table, also of processes that have it open, with these words.
   */
  guard(tx: QueryExecutorProvider, words: string): Promise<void>;
  /** Takes the guard away again. */
  unguard(tx: QueryExecutorProvider): Promise<void>;
  /** Adds lines as they are. */
  insert(tx: Tx, table: keyof Schema, lines: readonly AnyLine[]): Promise<void>;
  /** The last number that was generated for this column; 0 if none. */
  readNumber(tx: Tx, column: NumberedColumn): Promise<number>;
  /** Numbers generated from now on are larger. */
  setNumber(tx: Tx, column: NumberedColumn, last: number): Promise<void>;
  /** The value as the database keeps it. */
  readonly kept: (value: string) => string;
  /** Collects statistics, so that the next query is planned by what is there. */
  analyze(tx: Tx): Promise<void>;
}
