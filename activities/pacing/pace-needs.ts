import type { Realm } from '../../contract/names.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { Instant } from '../../policy/pacing/send-deadline.ts';
import type { BatchCache } from '../cache/batch-cache.ts';

/** Endpoint classes with separate limits: paid requests, and free reads. */
export type EndpointClass = 'create' | 'read';

/** What pacing a call needs. */
export interface PaceNeeds {
  readonly ledger: Pick<Ledger, 'updateLimiter'>;
  readonly batches: Pick<BatchCache, 'read'>;
  readonly realm: Pick<Realm, 'apiUrl' | 'account'>;
  /** This process. */
  readonly owner: string;
  readonly clock: { now(): Instant };
}
