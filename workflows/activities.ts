import { proxyActivities } from '@temporalio/workflow';
import type { Activities } from '../contract/activities.ts';

// The activities as workflows call them, each with the timeouts that it needs. Every failure is retried without end,
// because all activities are idempotent.

const RETRY_FOREVER = { initialInterval: '200ms', backoffCoefficient: 2, maximumInterval: '5s' } as const;

/**
 * Five heartbeat intervals. A worker without a heartbeat for this long is dead or frozen, and another gets its work.
 */
const HEARTBEAT_TIMEOUT = '10s';

/** Reads the ledger. Slow if it has to end the rows of a large stopping batch. */
export const { surveyBatch } = proxyActivities<Activities>({
  startToCloseTimeout: '5m',
  heartbeatTimeout: HEARTBEAT_TIMEOUT,
  retry: RETRY_FOREVER,
});

/**
 * Works on a lane for a slice of time. A slice ends by itself after minutes, and requests in flight may then use their
 * full timeout. Retries stay frequent: earlier failures say nothing about a worker that is silent now.
 */
export const { workLane } = proxyActivities<Activities>({
  startToCloseTimeout: '1h',
  heartbeatTimeout: HEARTBEAT_TIMEOUT,
  retry: { ...RETRY_FOREVER, maximumInterval: '1s' },
});

/** Reads and loads a manifest, which may be large. */
export const { openOccurrence } = proxyActivities<Activities>({
  startToCloseTimeout: '1h',
  heartbeatTimeout: HEARTBEAT_TIMEOUT,
  retry: RETRY_FOREVER,
});

/** Writes the files of a batch that has ended. */
export const { awaitOccurrence } = proxyActivities<Activities>({
  startToCloseTimeout: '3h',
  heartbeatTimeout: HEARTBEAT_TIMEOUT,
  retry: RETRY_FOREVER,
});

/** Writes one record to the ledger. */
export const { stopBatch } = proxyActivities<Activities>({ startToCloseTimeout: '1m', retry: RETRY_FOREVER });
