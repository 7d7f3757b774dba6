import { WorkflowNotFoundError, type Client, type WorkflowHandle } from '@temporalio/client';
import {
  WAKE_UP_SIGNAL,
  SUPERVISE_BATCH,
  WORKFLOW_TASK_TIMEOUT,
  type SuperviseBatchInput,
} from '../../contract/batch-workflow.ts';
import { batchWorkflowId, taskQueueOf } from '../../contract/names.ts';
import { batchLabels } from '../../contract/workflow-labels.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { BatchRecord } from '../../ledger/batches/batch-records.ts';
import { withTimeout, type Temporal } from './open-temporal.ts';
import { makeSearchAttributes } from './search-attributes.ts';

/** After this time without an answer, Temporal counts as unavailable, ms. */
const ANSWER_TIMEOUT_MS = 30_000;

/**
 * Starts a batch's workflow, or finds the running one. Rejects with a `ServiceError` if Temporal does not accept it.
 *
 * With `wakes`, the workflow is also signaled, because the ledger may hold changes that it has not seen, such as
 * reopened rows. Start and signal are one call: a workflow that is about to end cannot miss the signal.
 */
export async function startWorkflow(
  { client, namespace }: Pick<Temporal, 'client' | 'namespace'>,
  ledger: Ledger,
  batch: BatchRecord,
  { wakes }: { readonly wakes: boolean },
): Promise<WorkflowHandle> {
  const input: SuperviseBatchInput = { batch: batch.name };
  const start = {
    workflowId: batchWorkflowId(ledger.id, batch.name),
    taskQueue: taskQueueOf({ apiUrl: batch.apiUrl, account: batch.account, ledgerId: ledger.id }),
    args: [input],
    workflowIdConflictPolicy: 'USE_EXISTING',
    workflowIdReusePolicy: 'ALLOW_DUPLICATE',
    workflowTaskTimeout: WORKFLOW_TASK_TIMEOUT,
    ...batchLabels(batch.name),
  } as const;
  // The server may have lost its search attributes since the workers checked. A workflow that sets a missing one fails
  // its task for ever.
  await makeSearchAttributes({ client, namespace });
  return withTimeout<WorkflowHandle>(client, ANSWER_TIMEOUT_MS, async () => {
    if (!wakes) return client.workflow.start(SUPERVISE_BATCH, start);
    const handle = await client.workflow.signalWithStart(SUPERVISE_BATCH, {
      ...start,
      signal: WAKE_UP_SIGNAL,
      signalArgs: [],
    });
    const { type } = await handle.describe();
    if (type === SUPERVISE_BATCH) return handle;
    // A workflow from an earlier version, whose lanes end with it. The ledger has the state of every row, so a new
    // workflow simply continues.
    return client.workflow.start(SUPERVISE_BATCH, { ...start, workflowIdConflictPolicy: 'TERMINATE_EXISTING' });
  });
}

/**
 * Signals a batch's workflow to read the ledger, which has a new request. The server keeps the signal until a worker
 * appears. Returns false if no such workflow is running; rejects with a `ServiceError` if Temporal does not accept it.
 */
export async function wakeWorkflow(client: Client, ledger: Ledger, batch: string): Promise<boolean> {
  const handle = client.workflow.getHandle(batchWorkflowId(ledger.id, batch));
  try {
    await withTimeout(client, ANSWER_TIMEOUT_MS, () => handle.signal(WAKE_UP_SIGNAL));
    return true;
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return false;
    throw error;
  }
}
