import {
  ServiceError,
  WorkflowFailedError,
  WorkflowNotFoundError,
  type Client,
  type WorkflowHandle,
} from '@temporalio/client';
import { defineSearchAttributeKey, rootCause } from '@temporalio/common';
import { defined } from '../../contract/defined.ts';
import { SEARCH_ATTRIBUTES } from '../../contract/search-attributes.ts';
import type { WorkflowState } from '../status/follow.ts';
import { pinningOf } from '../worker-versions/current-version.ts';
import { withTimeout } from './open-temporal.ts';

const UNKNOWN_ROWS = defineSearchAttributeKey('VoxbatchUnknown', SEARCH_ATTRIBUTES.VoxbatchUnknown);

/** Timeout of the query, ms: short enough for Ctrl-C to be noticed. */
const QUERY_TIMEOUT_MS = 3_000;

/** Reads the state of an open batch's workflow from Temporal. */
export async function readWorkflowState(client: Client, handle: WorkflowHandle): Promise<WorkflowState> {
  try {
    const described = await withTimeout(client, QUERY_TIMEOUT_MS, () => handle.describe());
    const { status, typedSearchAttributes } = described;
    if (status.name === 'RUNNING') {
      const shownUnknown = typedSearchAttributes.get(UNKNOWN_ROWS);
      return { type: 'running', ...defined({ shownUnknown, pinned: pinningOf(described) }) };
    }
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
