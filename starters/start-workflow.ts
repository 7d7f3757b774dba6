import { WorkflowFailedError, WorkflowNotFoundError, type Client, type WorkflowHandle } from '@temporalio/client';
import { CONTROL_UPDATE, RUN_BATCH, type RunBatchInput } from '../contract/messages.ts';
import { batchWorkflowId, taskQueueOf } from '../contract/names.ts';
import type { Control } from '../contract/outcomes.ts';
import type { BatchRecord, Ledger } from '../ledger/ledger.ts';
import { lanesFor } from '../workflows/policy/window.ts';

/** Workflow tasks of ours are short; a lost worker's task comes again after this. */
const WORKFLOW_TASK_TIMEOUT = '3s';

/** Starts the workflow of a batch, or finds the one that runs. */
export async function startWorkflow(client: Client, ledger: Ledger, batch: BatchRecord): Promise<WorkflowHandle> {
  const input: RunBatchInput = { batch: batch.name, lanes: lanesFor(batch.rows) };
  return client.workflow.start(RUN_BATCH, {
    workflowId: batchWorkflowId(ledger.id, batch.name),
    taskQueue: taskQueueOf({ apiUrl: batch.apiUrl, account: batch.account, ledgerId: ledger.id }),
    args: [input],
    workflowIdConflictPolicy: 'USE_EXISTING',
    workflowIdReusePolicy: 'ALLOW_DUPLICATE',
    workflowTaskTimeout: WORKFLOW_TASK_TIMEOUT,
  });
}

/**
 * Tells a batch what the user wants. A running workflow takes it as an update and answers when it holds; without one the
 * wish is written to the ledger, where the next run finds it.
 */
export async function controlBatch(
  client: Client | undefined,
  ledger: Ledger,
  batch: string,
  control: Control,
): Promise<Control> {
  if (client !== undefined) {
    try {
      const handle = client.workflow.getHandle(batchWorkflowId(ledger.id, batch));
      return await handle.executeUpdate<Control, [Control]>(CONTROL_UPDATE, { args: [control] });
    } catch (error) {
      if (!(error instanceof WorkflowNotFoundError)) throw error;
    }
  }
  return ledger.setControl(batch, control);
}

/** A message if the workflow of an open batch has ended, which it never does by itself. */
export async function whyNotRunning(handle: WorkflowHandle): Promise<string | undefined> {
  const { status } = await handle.describe();
  if (status.name === 'RUNNING' || status.name === 'COMPLETED') return undefined;
  const cause = await handle.result().then(
    () => '',
    (error: unknown) =>
      error instanceof WorkflowFailedError ? (error.cause?.message ?? error.message) : String(error),
  );
  return `The workflow of the batch has ended as ${status.name.toLowerCase()}: ${cause}`;
}
