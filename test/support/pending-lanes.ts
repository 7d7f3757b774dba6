import { Client, Connection } from '@temporalio/client';
import { SUPERVISE_BATCH } from '../../contract/batch-workflow.ts';
import type { TemporalPlace } from './temporal-place.ts';

/** A lane that is on offer, or worked on. */
export interface PendingLane {
  /** How often it was offered: 1 the first time. */
  readonly attempt: number;
  /** Why the offer before came to nothing: `WorkerLost` where somebody said so, `timed out` where its worker was silent. */
  readonly failure: string | undefined;
}

/** The lanes of all batches, as Temporal sees them. */
export async function pendingLanes({ address, namespace }: TemporalPlace): Promise<PendingLane[]> {
  const connection = await Connection.connect({ address });
  try {
    const { workflow } = new Client({ connection, namespace });
    const lanes: PendingLane[] = [];
    for await (const { workflowId } of workflow.list({ query: `WorkflowType = "${SUPERVISE_BATCH}"` })) {
      for (const one of (await workflow.getHandle(workflowId).describe()).raw.pendingActivities ?? []) {
        if (one.activityType?.name !== 'workLane') continue;
        const { attempt, lastFailure } = one;
        const failure =
          lastFailure?.timeoutFailureInfo == null ? lastFailure?.applicationFailureInfo?.type : 'timed out';
        lanes.push({ attempt: attempt ?? 0, failure: failure ?? undefined });
      }
    }
    return lanes;
  } finally {
    await connection.close();
  }
}
