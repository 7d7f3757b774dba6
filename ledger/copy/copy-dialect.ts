import type { QueryExecutorProvider } from 'kysely';
import type { Schema, Tx } from '../schema.ts';

/** A line of a table, by the names of its columns. */
export type AnyLine = Readonly<Record<string, string | number | null>>;

/** A column whose values the database generates. */
export interface NumberedColumn {
  readonly table: keyof Schema;
  readonly column: string;
}

/** The operations of a kind of database for copying a ledger, all in the caller's transaction. */
export interface CopyDialect {
  /**
   * Whether this database is the one in which the ledger was last written, or a copy that a person has accepted.
   */
  isAccepted(tx: Tx): Promise<boolean>;
  /** Locks all tables against other writers until the transaction ends. */
  lockTables(tx: Tx): Promise<void>;
  /** Removes every line of these tables, which are all but `facts`. The counters must be off. */
  empty(tx: Tx, tables: readonly (keyof Schema)[]): Promise<void>;
  /** Switches off the triggers that keep counts and sums, so that copied lines are not counted twice; or on again. */
  setCounters(tx: Tx, to: 'off' | 'on'): Promise<void>;
  /**
   * Makes the database refuse every later write to any table, also by processes that have it open, with this message.
   */
  guard(tx: QueryExecutorProvider, words: string): Promise<void>;
  /** Removes the guard. */
  unguard(tx: QueryExecutorProvider): Promise<void>;
  /** Inserts lines unchanged. */
  insert(tx: Tx, table: keyof Schema, lines: readonly AnyLine[]): Promise<void>;
  /** Returns the last number that was generated for this column; 0 if none was. */
  readNumber(tx: Tx, column: NumberedColumn): Promise<number>;
  /** Sets the last generated number: later ones are larger. */
  setNumber(tx: Tx, column: NumberedColumn, last: number): Promise<void>;
  /** Returns a text as the database would store it: not every database can hold every character. */
  readonly kept: (value: string) => string;
  /** Collects statistics for the query planner. */
  analyze(tx: Tx): Promise<void>;
}
