import { ActivityNotFoundError, type Client } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import pLimit from 'p-limit';
import { isNotFound } from './grpc-errors.ts';

/** Failure type of an abandoned activity. It is retryable, and the retry comes at once. */
const WORKER_LOST = 'WorkerLost';

/** Options of {@link failAbandoned}. */
export interface FailAbandonedOptions {
  /** Restricts the search to workflows whose ids begin with this. */
  readonly workflowIdPrefix: string;
  /** Returns whether a worker of this identity is alive. */
  readonly isAlive: (identity: string) => boolean;
}

/** `PENDING_ACTIVITY_STATE_STARTED` and `…_CANCEL_REQUESTED` of Temporal's API: a worker is running the activity. */
const STARTED_STATES: readonly unknown[] = [2, 3];
const MAX_CONCURRENT_CALLS = 8;

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
  const limit = pLimit(MAX_CONCURRENT_CALLS);
  const failed = await limit.map([...executions], (workflowId) =>
    failActivitiesOf(client, workflowId, options.isAlive),
  );
  return failed.reduce((sum, count) => sum + count, 0);
}

/** Fails the abandoned activities of one workflow, and returns their number. */
async function failActivitiesOf(
  client: Client,
  workflowId: string,
  isAlive: (identity: string) => boolean,
): Promise<number> {
  let failed = 0;
  try {
    const { raw, runId } = await client.workflow.getHandle(workflowId).describe();
    await client.workflowService.resetStickyTaskQueue({
      namespace: client.options.namespace,
      execution: { workflowId, runId },
    });
    for (const activity of raw.pendingActivities ?? []) {
      const identity = activity.lastWorkerIdentity ?? '';
      if (!activity.activityId || !STARTED_STATES.includes(activity.state) || isAlive(identity)) continue;
      if (await failActivity(client, { workflowId, runId, activityId: activity.activityId }, identity)) failed += 1;
    }
  } catch (error) {
    // The workflow has ended. Temporal's list lags behind, especially after a server was killed.
    if (!isNotFound(error)) throw error;
  }
  return failed;
}

/** Fails one activity. Returns false if it has ended meanwhile. */
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
