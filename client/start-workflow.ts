import {
  ServiceError,
  WorkflowFailedError,
  WorkflowNotFoundError,
  type Client,
  type WorkflowHandle,
} from '@temporalio/client';
import {
  WAKE_UP_SIGNAL,
  SUPERVISE_BATCH,
  WORKFLOW_TASK_TIMEOUT,
  type SuperviseBatchInput,
} from '../contract/messages.ts';
import { batchWorkflowId, taskQueueOf } from '../contract/names.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { BatchRecord } from '../ledger/record-types.ts';
import { inTime } from './in-time.ts';

/** Temporal takes what it is told within this time, or does not take it now, ms. */
const TELL_TIMEOUT_MS = 30_000;

/**
 * Starts the workflow of a batch, or finds the one that runs. `news`: the ledger may say something that a running workflow has not
 * heard, such as rows that were opened again. It is told in the same step, so that a workflow that is about to end cannot miss
 * it. Rejects with a `ServiceError` if Temporal does not take it.
 */
export async function startWorkflow(
  client: Client,
  ledger: Ledger,
  batch: BatchRecord,
  { news }: { readonly news: boolean },
): Promise<WorkflowHandle> {
  const input: SuperviseBatchInput = { batch: batch.name };
  const start = {
    workflowId: batchWorkflowId(ledger.id, batch.name),
    taskQueue: taskQueueOf({ apiUrl: batch.apiUrl, account: batch.account, ledgerId: ledger.id }),
    args: [input],
    workflowIdConflictPolicy: 'USE_EXISTING',
    workflowIdReusePolicy: 'ALLOW_DUPLICATE',
    workflowTaskTimeout: WORKFLOW_TASK_TIMEOUT,
  } as const;
  return inTime<WorkflowHandle>(client, TELL_TIMEOUT_MS, async () => {
    if (!news) return client.workflow.start(SUPERVISE_BATCH, start);
    const handle = await client.workflow.signalWithStart(SUPERVISE_BATCH, {
      ...start,
      signal: WAKE_UP_SIGNAL,
      signalArgs: [],
    });
    const { type } = await handle.describe();
    if (type === SUPERVISE_BATCH) return handle;
    // Of an earlier version, with lanes that end with it. The ledger says where each row stands, so a new one simply goes on.
    return client.workflow.start(SUPERVISE_BATCH, { ...start, workflowIdConflictPolicy: 'TERMINATE_EXISTING' });
  });
}

/**
 * Tells the workflow of a batch that there is a new wish in the ledger. The news is kept until a worker comes. Resolves with
 * false if no such workflow runs; rejects with a `ServiceError` if Temporal does not take it.
 */
export async function wakeWorkflow(client: Client, ledger: Ledger, batch: string): Promise<boolean> {
  const handle = client.workflow.getHandle(batchWorkflowId(ledger.id, batch));
  try {
    await inTime(client, TELL_TIMEOUT_MS, () => handle.signal(WAKE_UP_SIGNAL));
    return true;
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return false;
    throw error;
  }
}

/** How the workflow of an open batch stands. */
export type WorkflowStanding =
  | { readonly type: 'running' | 'silent' }
  /** It has closed the batch. One that is open all the same was opened again since, and needs a new workflow. */
  | { readonly type: 'completed' }
  /** It was ended in another way, such as by hand. */
  | { readonly type: 'ended'; readonly message: string };

/** Longest wait for an answer, so that Ctrl-C is heard. */
const ASK_TIMEOUT_MS = 3_000;

/** Asks Temporal about the workflow of an open batch. `silent`: it does not answer now, as while it is restarted. */
export async function askWorkflow(client: Client, handle: WorkflowHandle): Promise<WorkflowStanding> {
  try {
    const { status } = await inTime(client, ASK_TIMEOUT_MS, () => handle.describe());
    if (status.name === 'RUNNING') return { type: 'running' };
    if (status.name === 'COMPLETED') return { type: 'completed' };
    const cause = await handle.result().then(
      () => '',
      (error: unknown) =>
        error instanceof WorkflowFailedError ? (error.cause?.message ?? error.message) : String(error),
    );
    return { type: 'ended', message: `The workflow of the batch has ended as ${status.name.toLowerCase()}: ${cause}.` };
  } catch (error) {
    if (error instanceof WorkflowNotFoundError)
      return { type: 'ended', message: 'Temporal no longer knows the workflow of the batch.' };
    if (error instanceof ServiceError) return { type: 'silent' };
    throw error;
  }
}
