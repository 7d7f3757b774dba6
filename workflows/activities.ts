import { isCancellation, proxyActivities } from '@temporalio/workflow';
import type { Activities } from '../contract/activities.ts';
import type { HeldAttempt, SubmitReport } from '../contract/batch.ts';

/**
 * The world as workflows see it, with the patience that each part deserves. Temporal owns every retry but one: a paid
 * request. `submit` runs once; what becomes of a lost one is decided by `reconcile`.
 */

const FOREVER = { initialInterval: '200ms', backoffCoefficient: 2, maximumInterval: '10s' } as const;

/** Reads and writes of the ledger: quick, repeatable, so a lost worker is noticed by the clock alone. */
export const { openBatch, claimRows, closeBatch } = proxyActivities<Activities>({
  startToCloseTimeout: '10s',
  retry: FOREVER,
});

/** May read the API's list page by page, which takes long where reads are scarce; begun anew it would never end. */
export const { reconcile } = proxyActivities<Activities>({
  startToCloseTimeout: '1h',
  heartbeatTimeout: '10s',
  retry: FOREVER,
});

/** Waits for its slot, then sends at most one paid request. */
const { submit } = proxyActivities<Activities>({
  startToCloseTimeout: '30m',
  heartbeatTimeout: '10s',
  retry: { maximumAttempts: 1 },
});

/** Makes an attempt. A lost one is settled by the ledger: whether anything was sent is for it to say. */
export async function submitOrReconcile(key: HeldAttempt): Promise<SubmitReport> {
  try {
    return await submit(key);
  } catch (error) {
    if (isCancellation(error)) throw error;
    return await reconcile(key);
  }
}

/** Polls and downloads for a slice of time. */
export const { awaitAndFetch } = proxyActivities<Activities>({
  startToCloseTimeout: '10m',
  heartbeatTimeout: '10s',
  retry: { ...FOREVER, maximumInterval: '5s' },
});

/** Waits until no paid request is on the wire, which can take as long as a request may. */
export const { applyControl } = proxyActivities<Activities>({
  startToCloseTimeout: '15m',
  heartbeatTimeout: '10s',
  retry: FOREVER,
});
