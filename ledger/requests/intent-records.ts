import type { AttemptKey } from '../../contract/batch.ts';
import type { MakingAttempt } from '../cache/found-results.ts';
import type { ChargeRecord, ResultRecord, ResultSource } from '../record-types.ts';

/** How urgent a change is. */
export interface Patience {
  /** How long it may wait for others to share its commit, ms; only used by a ledger in its own thread. Default 0. */
  readonly patienceMs?: number;
}

/** The facts recorded with an intent. */
export interface Intent extends Patience {
  /** Price of this request; null if unknown. */
  readonly quoted: number | null;
  /** Price of the row's later steps, which must also fit into the budget; null if unknown. */
  readonly quotedRest: number | null;
  readonly owner: string;
  /** Max requests of the batch without a verdict. */
  readonly maxSending: number;
  readonly linkHash?: string;
  /** Whether no voice has the name that the request gives. Omitted: not known, or no voice is made. */
  readonly nameWasFree?: boolean;
  /** The caller's fencing token for the row; omitted: not checked. */
  readonly fence?: number;
  /** What the result will be known by. Omitted: nothing can equal it, or no other row may use it. */
  readonly resultKey?: string;
  /**
   * An earlier result with that key will do, and so will that of another row's request for the same, except the
   * requests of `passOver`. Omitted: this request is made in any case.
   */
  readonly reuse?: { readonly passOver: readonly AttemptKey[] };
  /** The earlier result that should have been used, but was damaged. */
  readonly source?: ResultSource;
}

/** Answer to an intent. Only `go` permits sending. */
export type IntentAnswer =
  /** This call created the record, synced to disk. */
  | { readonly type: 'go' }
  /**
   * The batch is paused, stopping or closed, or the row has ended, has another holder, or is at another take. Nothing
   * was recorded.
   */
  | { readonly type: 'blocked' }
  /** `maxSending` attempts of the batch have no verdict. Nothing was recorded; ask again. */
  | { readonly type: 'full' }
  /**
   * The budget has room only if what is open costs less than it may, or it must first be known what the API charges
   * for such a request. Nothing was recorded; ask again.
   */
  | { readonly type: 'short' }
  /** There is an earlier result with its key, or the batch may use nothing else (`results` is empty). Nothing was recorded. */
  | { readonly type: 'cached'; readonly results: readonly ResultRecord[] }
  /** Another row's request may still bring the same result. Nothing was recorded; ask again. */
  | { readonly type: 'awaited'; readonly by: MakingAttempt }
  /** It exceeds the budget, whatever becomes of the requests in flight. The row has ended `skipped`. */
  | { readonly type: 'over-budget' }
  /** There is already a record with this key, or one that forbids it. Nothing was changed. */
  | { readonly type: 'exists'; readonly charge: ChargeRecord };
