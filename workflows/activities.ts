import { proxyActivities } from '@temporalio/workflow';
import type { Activities } from '../contract/activities.ts';

/** The world as workflows see it, with the patience that each part deserves. Whatever fails is repeated: nothing here is decided twice. */

const FOREVER = { initialInterval: '200ms', backoffCoefficient: 2, maximumInterval: '5s' } as const;

/** Five beats of a worker. One that is silent for so long is dead or stands still, and another gets its work. */
const SILENCE = '10s';

/** A look at the ledger. Ending the rows of a large batch that is being stopped takes its time. */
export const { surveyBatch } = proxyActivities<Activities>({
  startToCloseTimeout: '5m',
  heartbeatTimeout: SILENCE,
  retry: FOREVER,
});

/**
 * A slice ends by itself after minutes; what is in flight then may take as long as a request may. A lane is offered again soon: how often
 * it was declined says nothing of whoever is silent now.
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

/** Waits for an hour, and writes the files of a batch. */
export const { awaitOccurrence } = proxyActivities<Activities>({
  startToCloseTimeout: '3h',
  heartbeatTimeout: SILENCE,
  retry: FOREVER,
});

/** A line in the ledger. */
export const { stopBatch } = proxyActivities<Activities>({ startToCloseTimeout: '1m', retry: FOREVER });
