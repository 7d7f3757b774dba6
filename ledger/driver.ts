import type { Dialect, MigrationProvider } from 'kysely';
import type { LockMethods } from './lock-methods.ts';

/** How a ledger lies in one kind of database. `place` is a resolved address, as {@link DatabaseKind.resolve} gives it. */
export interface LedgerDriver {
  /**
   * Opens the database, and makes it if there is none. Throws `LedgerUnreachable`, also where a ledger would not be safe, and
   * `LedgerMissing` if it must be there.
   */
  open(place: string, options: { readonly mustExist: boolean }): Promise<Dialect>;
  /** Every version of the tables, in this database's SQL. */
  readonly migrations: MigrationProvider;
  /** True if a query stops the thread that asks it: processes that work on batches then ask from a thread of its own. */
  readonly blocksThread: boolean;
  /** The locks of the ledger. Opens none yet. */
  locksOf(place: string): LockMethods;
}
