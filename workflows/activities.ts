import { proxyActivities } from '@temporalio/workflow';
import type { Activities } from '../contract/activities.ts';

/** The world as workflows see it, with the patience that each part deserves. Whatever fails is repeated: nothing here is decided twice. */

const FOREVER = { initialInterval: '200ms', backoffCoefficient: 2, maximumInterval: '5s' } as const;

/** A look at the ledger. Ending the rows of a large batch that is being stopped takes its time. */
export const { surveyBatch } = proxyActivities<Activities>({
  startToCloseTimeout: '5m',
  retry: FOREVER,
});

/**
 * A slice ends by itself after minutes; what is on the wire then may take as long as a request may. A worker beats every 2 s, so
 * one that is silent for five beats is dead or stands still, and another takes its lane.
 */
export const { workLane } = proxyActivities<Activities>({
  startToCloseTimeout: '1h',
  heartbeatTimeout: '10s',
  retry: FOREVER,
});
