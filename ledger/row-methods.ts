import type { Failure } from '../contract/failures.ts';
import type { Subset } from '../contract/subset.ts';
import type { Claim, ClaimRequest } from './claims.ts';
import type { Account, LastRow } from './last-rows.ts';
import type { ResultFile, RowStanding, SkippedQuotes, TakeRecord } from './record-types.ts';
import type { ScanOptions, ScanPage, ScanPosition } from './scans.ts';
import type { RedriveChoice, Redriven } from './redrive.ts';
import type { WholeRow } from './parts.ts';

/** Rows whose text is spoken in parts. Part of {@link Ledger}. */
export interface PartMethods {
  /** The parts of a row, in order of its text; none if it is not split. */
  partsOf(batch: string, row: number): Promise<readonly RowStanding[]>;
  /**
   * Ends a row with the file that its parts were joined into, or with the reason why they could not be. No effect if a
   * part has changed since.
   */
  endWhole(row: WholeRow, end: { readonly file: ResultFile } | { readonly failure: Failure }): Promise<RowStanding>;
  /**
   * Ends a part as `failed` whose result is no longer in the store, and its row with it. A redrive fetches it again, if a
   * job made it. No effect if the row has changed since.
   */
  losePart(row: WholeRow, part: number, failure: Failure): Promise<void>;
}

/** Rows: claim, read, open again and end them. Part of {@link Ledger}. */
export interface RowMethods {
  /** The next free rows for a lane, in manifest order; `lost` if the lane has another holder now. */
  claimRows(request: ClaimRequest): Promise<Claim | 'lost'>;
  /** A row with its charges, in order of step, take, attempt. */
  readRow(batch: string, row: number): Promise<RowStanding | undefined>;
  findRowById(batch: string, id: string): Promise<number | undefined>;
  /** The rows with these ids (at most some hundred) and their charges, in manifest order; ids without one are left out. */
  rowsWithIds(batch: string, ids: readonly string[]): Promise<readonly RowStanding[]>;
  /**
   * The last row of each of these ids that was meant to be sent, in the batches of an account. Ids without one are left
   * out.
   */
  lastRows(account: Account, ids: readonly string[]): Promise<readonly LastRow[]>;
  /**
   * Rows with their charges, for projections: in manifest order, or with `endedSince` in the order in which they ended.
   * They are read in pages; the ledger may change between pages.
   */
  scanRows(batch: string, options?: ScanOptions): AsyncIterable<RowStanding>;
  /** One page of {@link Ledger.scanRows}, as of one moment. */
  scanPage(batch: string, options: ScanOptions, after: ScanPosition): Promise<ScanPage>;
  /**
   * Opens ended rows again as a person chose, and with any of them the batch (even one that was stopped or halted). One
   * transaction: all of the choices or none. A new take of a row is made once, whoever asks. Throws {@link
   * LedgerMisuse} for a batch that is being stopped, for a row whose last request the API may have accepted or whose
   * job may still run, unless the choice is `resubmitted`, for a `wait` without a job to wait for, and for an `accept`
   * without a result that failed a check or lacks one.
   */
  redrive(batch: string, choices: readonly RedriveChoice[]): Promise<Redriven>;
  /**
   * Opens those of the rows that `--limit`, `--sample` or the budget left out, and with any of them the batch, which then runs this
   * subset. They stay at their take; one with a request whose outcome is not known stays as it is. One transaction; returns how many.
   * Throws {@link LedgerMisuse} for a batch that is being stopped.
   */
  openUnsent(batch: string, subset: Subset | null, rows: readonly number[]): Promise<number>;
  /** What the rows that ended `skipped` would cost. */
  skippedQuotes(batch: string): Promise<SkippedQuotes>;
  /** The takes of a row after the first, oldest first. */
  takesOf(batch: string, row: number): Promise<readonly TakeRecord[]>;
  /**
   * Ends the open rows that have no attempt in flight, none in doubt and no unfinished job as `cancelled`, and after
   * {@link Ledger.stopNow} those with such a job as `overdue`. Returns how many.
   */
  cancelRest(batch: string): Promise<number>;
}
