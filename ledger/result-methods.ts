import type { AttemptKey } from '../contract/batch.ts';
import type { MakingAttempt } from './making.ts';
import type { ResultRecord, RowStanding } from './record-types.ts';
import type { ResultUse } from './results.ts';
import type { CacheSums } from './result-lists.ts';

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
  /** Those of these keys that have a result. */
  keysWithResult(keys: readonly string[]): Promise<readonly string[]>;
  /** Sums over all results. */
  sumResults(): Promise<CacheSums>;
  /** When the most recent result was used that does not fit if those used last have this many bytes; null: all fit. */
  usedBeyond(bytes: number): Promise<number | null>;
  /**
   * Results that were last used at this time (ms) or earlier, in order of their keys, those after a key (at first the
   * empty text), at most so many: all entries of each.
   */
  resultsUnused(before: number, after: string, most: number): Promise<readonly (readonly ResultRecord[])[]>;
  /** All entries with this key, oldest first. */
  resultNames(key: string): Promise<readonly ResultRecord[]>;
  /** Forgets results whose files are removed, and marks the files so. */
  pruneResults(results: readonly AttemptKey[]): Promise<void>;
}
