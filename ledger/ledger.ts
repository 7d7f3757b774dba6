import type { VoiceMethods } from './awaited-voices.ts';
import type { LimiterAnswer, LimiterStep } from '../policy/limiter-step.ts';
import type { BatchMethods, CleanMethods, LaneMethods, NoticeMethods } from './batch-methods.ts';
import type { ChargeMethods } from './charge-methods.ts';
import type { LockMethods } from './lock-methods.ts';
import type { OccurrenceMethods, ScheduleMethods } from './occurrence-methods.ts';
import type { LedgerOrigin } from './origin.ts';
import type { ResultMethods } from './result-methods.ts';
import type { PartMethods, RowMethods } from './row-methods.ts';
import type { TextLimitMethods } from './text-limits.ts';
import type { WebhookMethods } from './webhook-methods.ts';

/**
 * The record of rows and money. Every method is one transaction, synced to disk before it returns. Timestamps are in
 * ms. A method that changes a row or its charges also returns the row's new state, from the same transaction, so no
 * caller needs to read it again. Several processes may use one ledger at once.
 */
export interface Ledger
  extends
    BatchMethods,
    CleanMethods,
    LaneMethods,
    RowMethods,
    PartMethods,
    ChargeMethods,
    ResultMethods,
    NoticeMethods,
    VoiceMethods,
    OccurrenceMethods,
    ScheduleMethods,
    WebhookMethods,
    TextLimitMethods,
    LockMethods {
  /** Random id, created with the ledger. */
  readonly id: string;
  /** When and by what it was made, as it says itself. */
  readonly origin: LedgerOrigin;
  /** Where it is, for people: the absolute path of its file, or its URL without secrets. */
  readonly place: string;
  /**
   * Parts of its database that voxbatch did not make, makes otherwise, or misses, in words such as `trigger "t"`; empty for every ledger that only
   * voxbatch has written. For a ledger that came from elsewhere: they could change what it says later.
   */
  strangeParts(): Promise<readonly string[]>;

  // Limits shared by all workers
  /** Takes a step of the limiter of that name, in one transaction; see `policy/limiter-step.ts`. */
  updateLimiter<Step extends LimiterStep>(scope: string, step: Step): Promise<LimiterAnswer<Step>>;
  /**
   * Consecutive pauses, by the worst of these rate limiters, since calls were last answered normally; 0: they are, or nothing was in vain since
   * that time (ms).
   */
  troubles(scopes: readonly string[], since: number): Promise<number>;

  /** Waits for earlier calls, then closes the database. */
  close(): Promise<void>;
}
