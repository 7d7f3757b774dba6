import { ActivityNotFoundError, type Client, WorkflowNotFoundError } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import pLimit from 'p-limit';

/** Type of the failure that an abandoned activity gets. It may be retried; the next run comes at once. */
const WORKER_LOST = 'WorkerLost';

export interface FailAbandonedOptions {
  /** Every workflow whose id begins with this is looked at, as far as Temporal's list knows it. */
  readonly workflowIdPrefix: string;
  /** Further workflows to look at: the list lags a little behind, and may lack one that has just been started. */
  readonly workflowIds?: readonly string[];
  /** True for the identity of a worker that lives. */
  readonly isMine: (identity: string) => boolean;
}

/** `PENDING_ACTIVITY_STATE_STARTED` and `…_CANCEL_REQUESTED` of Temporal's API: a worker has them. */
const IN_A_WORKER: readonly unknown[] = [2, 3];
const CALLS_AT_ONCE = 8;

/**
 * Fails the activities that a dead worker had begun, so that their workflows need not wait for a heartbeat time-out.
 * Only to be called where every other worker is known to be dead, as by `Membership.alone`, and before this
 * process's worker starts: a run that begins meanwhile under the same activity id would be failed in its place.
 *
 * It also takes the workflows off the dead worker's sticky queue, so that their next task goes to any worker at once. A
 * workflow task that the dead worker had begun can't be ended from outside; its own time-out does that.
 *
 * Returns how many activities were failed.
 */
export async function failAbandoned(client: Client, options: FailAbandonedOptions): Promise<number> {
  const executions = new Set<string>(options.workflowIds);
  // The server finds nothing by a quote or a backslash, however they are written; so it is asked for what comes before.
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
    // It has ended since the list was made.
    if (!(error instanceof WorkflowNotFoundError)) throw error;
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
