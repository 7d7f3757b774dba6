import type { LimiterAnswer, LimiterStep } from '../policy/pacing/limiter-step.ts';
import type { LockMethods } from './lock-methods.ts';
import type { BoundMethods } from './methods.ts';
import type { LedgerOrigin } from './origin.ts';
import type { RowStanding } from './record-types.ts';
import type { ScanOptions } from './rows/scans.ts';

/**
 * The record of rows and money. Every method is one transaction, synced to disk before it returns. Timestamps are in
 * ms. A method that changes a row or its charges also returns the row's new state, from the same transaction, so no
 * caller needs to read it again. Several processes may use one ledger at once.
 *
 * Most methods are functions of the table in `methods.ts`, and described there. Here are those that are more.
 */
export interface Ledger extends BoundMethods, LockMethods {
  /** Random id, created with the ledger. */
  readonly id: string;
  /** When and by what it was made, as it says itself. */
  readonly origin: LedgerOrigin;
  /** Where it is, for people: the absolute path of its file, or its URL without secrets. */
  readonly place: string;
  /** Where the ledger is kept that it was read in from when it was opened, because that had a former layout. Default: it was not. */
  readonly former?: string;
  /**
   * Parts of its database that voxbatch did not make, makes otherwise, or misses, in words such as `trigger "t"`; empty for every ledger that only
   * voxbatch has written. For a ledger that came from elsewhere: they could change what it says later.
   */
  strangeParts(): Promise<readonly string[]>;
  /**
   * Rows with their charges, for projections: in manifest order, or with `endedSince` in the order in which they ended.
   * They are read in pages; the ledger may change between pages.
   */
  scanRows(batch: string, options?: ScanOptions): AsyncIterable<RowStanding>;
  /** Here again, so that its answer depends on its argument; see `limiters.ts`. */
  updateLimiter<Step extends LimiterStep>(scope: string, step: Step): Promise<LimiterAnswer<Step>>;
  /** Gives back the room that is kept for answers, for one that is no record: a small file that came with its answer. */
  makeRoom(): Promise<void>;
  /**
   * Makes sure that a file that is about to grow in this folder takes nothing of the room that is kept for answers. Throws `LedgerFull` while
   * that room is given back and not free again; a folder on another disk may always grow.
   */
  leaveRoom(folder: string): Promise<void>;
}
