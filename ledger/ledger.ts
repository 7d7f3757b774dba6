import type { AttemptKey, BatchSettings } from '../contract/batch.ts';
import type { ClaimRequest } from '../contract/activities.ts';
import type { Failure } from '../contract/failures.ts';
import type { AttemptState, Control, Outcome, RowState, VerdictName } from '../contract/outcomes.ts';
import type { Kind, RowSpec } from '../contract/row-kinds.ts';

/** What makes a batch this batch. The same four again mean the same batch. */
export interface BatchIdentity {
  readonly name: string;
  /** sha256 of the manifest's bytes, hex. */
  readonly digest: string;
  readonly apiUrl: string;
  readonly account: string;
}

export interface NewBatch extends BatchIdentity {
  readonly settings: BatchSettings;
  /** Input columns in order, without `_…`. */
  readonly columns: readonly string[];
  /** Where the manifest was read from, for people. */
  readonly source: string;
}

export interface BatchRecord extends NewBatch {
  /** `loading`: rows are still being written; such a batch never ran. `open`: has rows without outcome or may get some. `closed`: every row ended. */
  readonly state: 'loading' | 'open' | 'closed';
  readonly control: Control;
  /** Why the batch paused by itself, if it did. */
  readonly pauseReason: Failure | null;
  readonly rows: number;
  readonly createdAt: number;
  /** First paid request of the batch, ms. */
  readonly startedAt: number | null;
  readonly closedAt: number | null;
}

export interface NewRow {
  /** 1-based. */
  readonly row: number;
  readonly id: string;
  /** Physical line of the record's first line, header = 1. */
  readonly line: number;
  readonly spec: RowSpec;
  /** The input cells in column order, as they came. */
  readonly input: readonly string[];
  /** Sum of the quotes of its steps; null if no price is known. */
  readonly quoted: number | null;
}

/** A stored result of a step. */
export interface ResultFile {
  readonly key: string;
  readonly bytes: number;
  readonly sha256: string;
  readonly extension: string;
}

export interface RowRecord extends NewRow {
  readonly kind: Kind;
  readonly state: RowState;
  readonly outcome: Outcome | null;
  readonly failure: Failure | null;
  /** The final result; also `.srt`, `.vtt` beside a transcript are in `extraFiles`. */
  readonly file: ResultFile | null;
  readonly extraFiles: readonly ResultFile[];
  /** Transcribed text, for `stt`. */
  readonly text: string | null;
  readonly take: number;
  readonly updatedAt: number;
  readonly endedAt: number | null;
}

/** One attempt: one paid request. */
export interface ChargeRecord extends AttemptKey {
  readonly state: AttemptState;
  readonly jobId: string | null;
  readonly quoted: number | null;
  /** What was charged: the API's figure, or the quote where it gave none. Null unless accepted or done. */
  readonly charged: number | null;
  /** Where `charged` is from. */
  readonly chargedFrom: 'api' | 'quote' | null;
  readonly failure: Failure | null;
  readonly requestId: string | null;
  /** The worker process that made the intent. */
  readonly owner: string;
  readonly intentAt: number;
  readonly verdictAt: number | null;
  /** The job ended (either way) and, if it completed, its result is in the store. */
  readonly finishedAt: number | null;
  readonly file: ResultFile | null;
}

/** Effect on the row that goes into the same transaction as a change of its charge. */
export type RowEffect =
  | { readonly state: RowState }
  | {
      readonly outcome: Outcome;
      readonly failure?: Failure;
      readonly file?: ResultFile;
      readonly extraFiles?: readonly ResultFile[];
      readonly text?: string;
    };

/** Answer to an intent. Only `go` allows to send. */
export type IntentAnswer =
  /** The record was made by this call and is synced to disk. */
  | { readonly answer: 'go' }
  /** The batch is paused, stopping or closed, or the row has ended. Nothing was recorded. */
  | { readonly answer: 'held' }
  /** `maxSending` attempts of the batch are without verdict. Nothing was recorded; ask again. */
  | { readonly answer: 'full' }
  /** There is a record at this key already, or a later attempt or take. Nothing was changed. */
  | { readonly answer: 'exists'; readonly charge: ChargeRecord };

export interface SettleVerdict {
  readonly verdict: VerdictName;
  readonly jobId?: string;
  /** The job was found in the API's list rather than in an answer: nothing is settled if another attempt has it by now. */
  readonly isAdopted?: boolean;
  readonly credits?: number;
  readonly failure?: Failure;
  readonly requestId?: string;
  /** For `done`. */
  readonly file?: ResultFile;
}

export interface Counts {
  readonly total: number;
  /** Rows without an outcome, by state. */
  readonly states: Readonly<Record<RowState, number>>;
  readonly outcomes: Readonly<Record<Outcome, number>>;
}

export interface Money {
  /** Sum over accepted and done attempts. */
  readonly charged: number;
  /** Quotes of attempts that are on the wire now. */
  readonly reserved: number;
  /** Quotes of attempts whose outcome is unknown. */
  readonly uncertain: number;
  /** True where part of the sums is quotes rather than the API's figures. */
  readonly estimated: boolean;
}

/**
 * The record of rows and money. Every method is one transaction, synced to disk before it returns. Timestamps are ms.
 * Several processes may use one ledger at once.
 */
export interface Ledger {
  /** Random id, made with the ledger. */
  readonly id: string;

  // Batches
  createBatch(batch: NewBatch): Promise<void>;
  /** Adds rows of a `loading` batch. Throws on a duplicate id. */
  addRows(batch: string, rows: readonly NewRow[]): Promise<void>;
  /** `loading` → `open`. */
  openBatch(batch: string): Promise<void>;
  /** Removes a batch that is still `loading`, with its rows; any other stays. */
  discardLoading(batch: string): Promise<void>;
  findBatch(batch: string): Promise<BatchRecord | undefined>;
  listBatches(): Promise<readonly BatchRecord[]>;
  /** Returns the control that then holds; a closed batch keeps its own, `stopping` is never taken back. */
  setControl(batch: string, control: Control, reason?: Failure): Promise<Control>;
  /** `closed` if no row is open. Returns the number of open rows. */
  closeBatch(batch: string): Promise<number>;
  counts(batch: string): Promise<Counts>;
  money(batch: string): Promise<Money>;

  // Rows
  /** Rows of this claim with their charges: those given out by the same claim before, else the next free open rows. */
  claimRows(
    request: ClaimRequest,
  ): Promise<{ rows: readonly { row: RowRecord; charges: readonly ChargeRecord[] }[]; exhausted: boolean }>;
  /** A row with its charges, in order of step, take, attempt. */
  readRow(batch: string, row: number): Promise<{ row: RowRecord; charges: readonly ChargeRecord[] } | undefined>;
  findRowById(batch: string, id: string): Promise<number | undefined>;
  /** Rows in manifest order with their charges, in pages, for projections. */
  scanRows(
    batch: string,
    options?: { readonly outcome?: Outcome; readonly endedSince?: number },
  ): AsyncIterable<{ row: RowRecord; charges: readonly ChargeRecord[] }>;
  /** Changes the state of an open row; no effect on one that has ended. */
  setRowState(batch: string, row: number, state: RowState): Promise<void>;
  /** Ends an open row without touching a charge (e.g. a row that can't be sent at all). No effect on one that has ended. */
  endRow(batch: string, row: number, effect: Extract<RowEffect, { outcome: Outcome }>): Promise<void>;
  /**
   * Ends the open rows that have no attempt on the wire, none in doubt and no unfinished job as `cancelled`. Returns how many.
   */
  cancelRest(batch: string): Promise<number>;

  // Charges
  /** Records the intent of an attempt, exclusively. See {@link IntentAnswer}. Sets the row to `submitting`. */
  intend(
    key: AttemptKey,
    intent: { readonly quoted: number | null; readonly owner: string; readonly maxSending: number },
  ): Promise<IntentAnswer>;
  /**
   * Records a verdict. Settles `sending`; also `unknown` when a late answer comes and no later attempt or take exists
   * (a row that had ended `unknown` is then open again, free for the next claim, or ended by the effect).
   * Returns false, and changes nothing, if the attempt already has a final verdict.
   */
  settle(key: AttemptKey, verdict: SettleVerdict, effect: RowEffect): Promise<boolean>;
  /**
   * Creates the record as `revoked` if there is none, so that nobody can send with this key any more.
   * Returns the record that then stands.
   */
  revoke(key: AttemptKey): Promise<ChargeRecord>;
  /** Records the end of an accepted job, once; credits where the API named them now. Returns false if it had ended before. */
  finishJob(
    key: AttemptKey,
    end: { readonly file?: ResultFile; readonly credits?: number; readonly failure?: Failure },
    effect: RowEffect,
  ): Promise<boolean>;
  /** Attempts without a verdict, of the batch. */
  sending(batch: string): Promise<readonly ChargeRecord[]>;
  /** True if any attempt of any batch of this API and account has this job id. */
  isJobClaimed(apiUrl: string, account: string, jobId: string): Promise<boolean>;

  /**
   * True if an attempt of the same step of another row, of any batch of this API and account, made since then, has no
   * verdict or is `unknown`: it may have made a job that nobody claims.
   */
  isOtherInDoubt(apiUrl: string, account: string, key: AttemptKey, since: number): Promise<boolean>;

  // Limits shared by all workers
  /** Reads, changes and writes the state of a limiter in one transaction. `change` must be pure and quick. */
  updateLimiter<T, R>(
    scope: string,
    change: (state: T | undefined) => { readonly state: T; readonly result: R },
  ): Promise<R>;

  close(): Promise<void>;
}
