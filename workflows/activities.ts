import { proxyActivities } from '@temporalio/workflow';
import type { Activities } from '../contract/activities.ts';

/**
 * The activities as workflows see them, each with the timeouts it needs. Every failure is retried, because all
 * activities are idempotent.
 */

const FOREVER = { initialInterval: '200ms', backoffCoefficient: 2, maximumInterval: '5s' } as const;

/**
 * Five heartbeat intervals. A worker without a heartbeat for this long is dead or frozen, and another gets its work.
 */
const SILENCE = '10s';

/** Reads the ledger. Takes long where it ends the rows of a large stopping batch. */
export const { surveyBatch } = proxyActivities<Activities>({
  startToCloseTimeout: '5m',
  heartbeatTimeout: SILENCE,
  retry: FOREVER,
});

/**
 * A slice ends by itself after minutes, and requests in flight may then use their full timeout. Retries stay frequent:
 * earlier failures say nothing about a worker that is silent now.
 */
export const { workLane } = proxyActivities<Activities>({
  startToCloseTimeout: '1h',
  heartbeatTimeout: SILENCE,
  retry: { ...FOREVER, maximumInterval: '1s' },
});

/** Reads and loads a manifest, which may be large. */
export const { openOccurrence } = proxyActivities<Activities>({
  startToCloseTimeout: '1h',
  heartbeatTimeout: SILENCE,
  retry: FOREVER,
});

/** Writes the files of a batch that has ended. */
export const { awaitOccurrence } = proxyActivities<Activities>({
  startToCloseTimeout: '3h',
  heartbeatTimeout: SILENCE,
  retry: FOREVER,
});

/** Writes one record to the ledger. */
export const { stopBatch } = proxyActivities<Activities>({ startToCloseTimeout: '1m', retry: FOREVER });
