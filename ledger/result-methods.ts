import type { AttemptKey } from '../contract/batch.ts';
import type { MakingAttempt } from './making.ts';
import type { ResultFile, ResultRecord, RowStanding } from './record-types.ts';

/** An earlier result in place of a request. */
export interface ResultUse {
  readonly result: ResultRecord;
  /** The row's own copies of its files. */
  readonly file: ResultFile;
  readonly extraFiles: readonly ResultFile[];
  /** What the row would have cost without it, up to this step, credits; null if unknown. */
  readonly saved: number | null;
  readonly owner: string;
  /** The caller's fencing token for the row; omitted: not checked. */
  readonly fence?: number;
}

/** One page of the results. */
export interface ResultPage {
  readonly results: readonly ResultRecord[];
  /** Where the next page begins; undefined: this was the last. */
  readonly next: AttemptKey | undefined;
}

/** Stored results that later rows may use. Part of {@link Ledger}. */
export interface ResultMethods {
  /**
   * The results with these keys, at most three of each, the newest first. A key is a digest of the API's address and
   * the account too, so no other account's results are among them.
   */
  findResults(keys: readonly string[]): Promise<readonly ResultRecord[]>;
  /**
   * What an intent with this key would find in place of its request: results, or another row's request that may bring
   * one, except those of `passOver`.
   */
  lookForResult(
    own: AttemptKey,
    key: string,
    passOver: readonly AttemptKey[],
  ): Promise<{ readonly results: readonly ResultRecord[]; readonly by: MakingAttempt | undefined }>;
  /**
   * Records that a step has an earlier result in place of a request: an attempt in state `cached`, which costs nothing.
   * For the last step of its kind, whose result is the row's, the row ends `cached`, even if earlier steps were never
   * made. Not `used`, and nothing changes, if the result is on record no more, the batch does not run, or the row does
   * not need this attempt or one of an earlier step.
   */
  useResult(key: AttemptKey, use: ResultUse): Promise<{ readonly used: boolean } & RowStanding>;
  /** Forgets a result, because its file is missing or altered. Its row keeps it. */
  dropResult(of: AttemptKey): Promise<void>;
  /**
   * Revokes a `cached` attempt whose result a later step cannot use, so that the next attempt is made. No effect on any
   * other attempt.
   */
  revokeCached(key: AttemptKey): Promise<RowStanding>;
  /** A page of all results, or of a batch's, in order of batch, row, step, take and attempt. */
  resultPage(batch: string | null, after: AttemptKey | null): Promise<ResultPage>;
}
