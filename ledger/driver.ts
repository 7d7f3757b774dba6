import type { Dialect } from 'kysely';
import type { LockMethods } from './lock-methods.ts';
import type { Versions } from './migrate.ts';
import type { Reserve } from './reserve.ts';
import type { Db } from './schema.ts';

/** How one kind of database holds a ledger. `place` is a resolved address, from {@link DatabaseKind.resolve}. */
export interface LedgerDriver extends Versions {
  /**
   * Makes an empty database where there is none, and calls `onMade` before anything is in it. If that throws, there is
   * none again.
   */
  readonly make: (place: string, onMade: () => void) => Promise<void>;
  /**
   * Opens the database, and creates it if needed. Throws `LedgerUnreachable`, also if a ledger would not be safe there,
   * and `LedgerMissing` if it must exist.
   */
  open(place: string, options: { readonly mustExist: boolean }): Promise<Dialect>;
  /** Parts of a database whose tables are up to date that this driver did not make, makes otherwise, or misses, in words. */
  strangeParts(db: Db): Promise<readonly string[]>;
  /** True if a query blocks its thread: processes that work on batches then query from a separate thread. */
  readonly blocksThread: boolean;
  /** The locks of the ledger. Opens none yet. */
  locksOf(place: string): LockMethods;
  /** The room that is kept for answers, on the disk of the ledger. Keeps none yet. */
  reserveOf(place: string): Reserve;
}
