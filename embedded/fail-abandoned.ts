import { ActivityNotFoundError, type Client } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import pLimit from 'p-limit';
import { isNotFound } from './grpc-errors.ts';

/** Failure type of an abandoned activity. It is retryable, and the retry comes at once. */
const WORKER_LOST = 'WorkerLost';

export interface FailAbandonedOptions {
  /** Considers every workflow whose id begins with this and that Temporal's list returns. */
  readonly workflowIdPrefix: string;
  /** True for the identity of a living worker. */
  readonly isMine: (identity: string) => boolean;
}

/** `PENDING_ACTIVITY_STATE_STARTED` and `…_CANCEL_REQUESTED` of Temporal's API: a worker is running the activity. */
const IN_A_WORKER: readonly unknown[] = [2, 3];
const CALLS_AT_ONCE = 8;

/**
 * Fails the activities of dead workers, so that their workflows need not wait for a heartbeat timeout. Call it only if
 * every other worker is known to be dead, as by `Membership.alone`, and before this process's worker starts: otherwise
 * it could fail a new run with the same activity id.
 *
 * It also takes the workflows off the dead worker's sticky queue, so that their next task goes to any worker at once. A
 * workflow task that the dead worker was running cannot be ended from outside; it times out by itself.
 *
 * Returns how many activities it failed.
 */
export async function failAbandoned(client: Client, options: FailAbandonedOptions): Promise<number> {
  const executions = new Set<string>();
  // The server's search does not match quotes or backslashes, however they are escaped, so it gets only the part before
  // them.
  const plain = /^[^"'\\]*/.exec(options.workflowIdPrefix)?.[0] ?? '';
  const query = `ExecutionStatus = "Running" AND WorkflowId STARTS_WITH "${plain}"`;
  for await (const { workflowId } of client.workflow.list({ query })) {
    if (workflowId.startsWith(options.workflowIdPrefix)) executions.add(workflowId);
  }
  const limit = pLimit(CALLS_AT_ONCE);
  const failed = await limit.map([...executions], (workflowId) => failOfOne(client, workflowId, options.isMine));
  return failed.reduce((sum, count) => sum + count, 0);
}

async function failOfOne(client: Client, workflowId: string, isMine: (identity: string) => boolean): Promise<number> {
  let failed = 0;
  try {
    const { raw, runId } = await client.workflow.getHandle(workflowId).describe();
    await client.workflowService.resetStickyTaskQueue({
      namespace: client.options.namespace,
      execution: { workflowId, runId },
    });
    for (const activity of raw.pendingActivities ?? []) {
      const identity = activity.lastWorkerIdentity ?? '';
      if (!activity.activityId || !IN_A_WORKER.includes(activity.state) || isMine(identity)) continue;
      if (await failActivity(client, { workflowId, runId, activityId: activity.activityId }, identity)) failed += 1;
    }
  } catch (error) {
    // It has ended. The list lags, and more so after a server was killed: it may show it as running.
    if (!isNotFound(error)) throw error;
  }
  return failed;
}

async function failActivity(
  client: Client,
  id: { readonly workflowId: string; readonly runId: string; readonly activityId: string },
  identity: string,
): Promise<boolean> {
  const failure = ApplicationFailure.create({
    type: WORKER_LOST,
    message: `Its worker is dead (${identity || 'of unknown name'}).`,
    nextRetryDelay: '1 ms',
  });
  try {
    await client.activity.fail(id, failure);
    return true;
  } catch (error) {
    if (error instanceof ActivityNotFoundError) return false;
    throw error;
  }
}
