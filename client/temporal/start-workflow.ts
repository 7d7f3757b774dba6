import {
  ServiceError,
  WorkflowFailedError,
  WorkflowNotFoundError,
  type Client,
  type WorkflowHandle,
} from '@temporalio/client';
import { defineSearchAttributeKey, rootCause, type TypedSearchAttributes } from '@temporalio/common';
import { defined } from '../../contract/defined.ts';
import {
  WAKE_UP_SIGNAL,
  SUPERVISE_BATCH,
  WORKFLOW_TASK_TIMEOUT,
  type SuperviseBatchInput,
} from '../../contract/batch-workflow.ts';
import { batchWorkflowId, taskQueueOf } from '../../contract/names.ts';
import { SEARCH_ATTRIBUTES } from '../../contract/search-attributes.ts';
import { batchLabels } from '../../contract/workflow-labels.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { BatchRecord } from '../../ledger/batches/batch-records.ts';
import type { WorkflowStanding } from '../look/follow.ts';
import { pinningOf } from '../worker-versions/current-version.ts';
import { inTime, type Temporal } from './open-temporal.ts';
import { makeSearchAttributes } from './search-attributes.ts';

/** Timeout after which Temporal counts as unavailable, ms. */
const TELL_TIMEOUT_MS = 30_000;

/**
 * Starts a batch's workflow, or finds the running one. `news`: the ledger may hold changes that a running workflow has
 * not seen, such as reopened rows. The signal is sent in the same call as the start, so a workflow that is about to end
 * cannot miss it. Rejects with a `ServiceError` if Temporal does not accept it.
 */
export async function startWorkflow(
  { client, namespace }: Pick<Temporal, 'client' | 'namespace'>,
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
    ...batchLabels(batch.name),
  } as const;
  // The server may have lost its search attributes since the workers checked. A workflow that sets a missing one fails
  // its task for ever.
  await makeSearchAttributes({ client, namespace });
  return inTime<WorkflowHandle>(client, TELL_TIMEOUT_MS, async () => {
    if (!news) return client.workflow.start(SUPERVISE_BATCH, start);
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
 * Notifies a batch's workflow of a new request in the ledger. The server keeps the signal until a worker appears.
 * Resolves with false if no such workflow is running; rejects with a `ServiceError` if Temporal does not accept it.
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

const UNKNOWN = defineSearchAttributeKey('VoxbatchUnknown', SEARCH_ATTRIBUTES.VoxbatchUnknown);

function shownIn(attributes: TypedSearchAttributes): { readonly shownUnknown?: number } {
  return defined({ shownUnknown: attributes.get(UNKNOWN) });
}

/** Timeout of a question to Temporal, short enough for Ctrl-C to be noticed, ms. */
const ASK_TIMEOUT_MS = 3_000;

/**
 * Queries Temporal about the workflow of an open batch. `silent`: Temporal does not answer now, for example while it
 * restarts.
 */
export async function askWorkflow(client: Client, handle: WorkflowHandle): Promise<WorkflowStanding> {
  try {
    const described = await inTime(client, ASK_TIMEOUT_MS, () => handle.describe());
    const { status, typedSearchAttributes } = described;
    if (status.name === 'RUNNING')
      return {
        type: 'running',
        ...shownIn(typedSearchAttributes),
        ...defined({ pinned: pinningOf(described) }),
      };
    if (status.name === 'COMPLETED') return { type: 'completed' };
    const cause = await handle.result().then(
      () => '',
      (error: unknown) => (error instanceof WorkflowFailedError ? (rootCause(error) ?? error.message) : String(error)),
    );
    return { type: 'ended', message: `The workflow of the batch has ended as ${status.name.toLowerCase()}: ${cause}.` };
  } catch (error) {
    if (error instanceof WorkflowNotFoundError)
      return { type: 'ended', message: 'Temporal knows no workflow of the batch.' };
    if (error instanceof ServiceError) return { type: 'silent' };
    throw error;
  }
}
