import type { Realm } from '../contract/names.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { Instant } from '../policy/send-deadline.ts';
import type { BatchCache } from './batch-cache.ts';

/** Endpoint classes that are limited apart: requests that pay, and free reads. */
export type EndpointClass = 'create' | 'read';

/** What is asked for the pace of calls. */
export interface PaceNeeds {
  readonly ledger: Pick<Ledger, 'updateLimiter'>;
  readonly batches: Pick<BatchCache, 'read'>;
  readonly realm: Pick<Realm, 'apiUrl' | 'account'>;
  /** This process. */
  readonly owner: string;
  readonly clock: { now(): Instant };
}
