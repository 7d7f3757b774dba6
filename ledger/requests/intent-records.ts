import type { AttemptKey } from '../../contract/batch.ts';
import type { MakingAttempt, ResultRecord } from '../cache/found-results.ts';
import type { ChargeRecord, ResultSource } from './charge-records.ts';

/** How long a change may wait to share a commit with others. */
export interface Patience {
  /** Max wait, ms. Only used by a ledger in its own thread. Default 0. */
  readonly patienceMs?: number;
}

/** The facts recorded with an intent. */
export interface Intent extends Patience {
  /** Price of this request, in credits; null if unknown. */
  readonly quoted: number | null;
  /** Price of the row's later steps, in credits, which must also fit into the budget; null if unknown. */
  readonly quotedRest: number | null;
  /** Id of the worker process. */
  readonly owner: string;
  /** Max requests of the batch without a verdict. */
  readonly maxSending: number;
  /** sha256 (hex) of the audio link that a chain's lip-sync gets. */
  readonly linkHash?: string;
  /** Whether the requested voice name is free. Omitted if unknown, or if the request makes no voice. */
  readonly nameWasFree?: boolean;
  /** The caller's fencing token for the row; omitted: not checked. */
  readonly fence?: number;
  /** Cache key of the future result. Omitted if nothing can equal it, or no other row may use it. */
  readonly resultKey?: string;
  /**
   * Allows reuse of an earlier result with that key, or of the result of another row's identical request, except those
   * in `passOver`. Omitted: the request is made in any case.
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
   * The budget has room only if open requests turn out cheaper than their worst case, or the API's charge for such a
   * request must become known first. Nothing was recorded; ask again.
   */
  | { readonly type: 'short' }
  /**
   * There is an earlier result with its key, or the batch may use nothing else (`results` is empty). Nothing was
   * recorded.
   */
  | { readonly type: 'cached'; readonly results: readonly ResultRecord[] }
  /** Another row's request may still bring the same result. Nothing was recorded; ask again. */
  | { readonly type: 'awaited'; readonly by: MakingAttempt }
  /** It exceeds the budget however the requests in flight turn out. The row has ended `skipped`. */
  | { readonly type: 'over-budget' }
  /** There is already a record with this key, or one that forbids it. Nothing was changed. */
  | { readonly type: 'exists'; readonly charge: ChargeRecord };
