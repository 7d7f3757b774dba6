import { WorkflowNotFoundError } from '@temporalio/client';
import { batchWorkflowId } from '../../contract/names.ts';
import type { WorkerVersion } from '../../contract/worker-version.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { BatchRecord } from '../../ledger/record-types.ts';
import { isOfVersion } from '../../policy/lanes/versions.ts';
import type { Temporal } from '../temporal/open-temporal.ts';
import { isCurrent, isSameVersion } from './current-version.ts';
import type { Pinning } from './pinning.ts';

export interface StrandedRequest {
  readonly temporal: Pick<Temporal, 'client' | 'namespace'>;
  readonly ledger: Pick<Ledger, 'id' | 'livingWorkers'>;
  /** This worker's. */
  readonly version: WorkerVersion;
}

/**
 * Ends the workflow of a batch whose version has no worker left, so that it can be started anew with the current one.
 * Pinned as it is, Temporal would keep it for workers that never come back: whoever replaces the last old worker before
 * the batch has moved on leaves it so. The workflow knows nothing that the ledger does not. Does so only when asked twice
 * in a row, since workers may be restarting, and only for the version that is the current one.
 */
export class StrandedBatches {
  readonly #request: StrandedRequest;
  /** Runs that had no worker at the last look. */
  readonly #seen = new Set<string>();

  constructor(request: StrandedRequest) {
    this.#request = request;
  }

  /** Returns whether the workflow of the batch was ended. */
  async end(batch: BatchRecord, { runId, to }: Pinning): Promise<boolean> {
    const isStranded = await this.#isStranded(batch, to);
    const isSure = isStranded && this.#seen.delete(runId);
    if (isSure) return this.#terminate(batch, runId, to);
    if (isStranded) this.#seen.add(runId);
    else this.#seen.delete(runId);
    return false;
  }

  async #isStranded({ apiUrl, account }: BatchRecord, to: WorkerVersion): Promise<boolean> {
    const { temporal, ledger, version } = this.#request;
    if (isSameVersion(to, version)) return false;
    const living = await ledger.livingWorkers(apiUrl, account, 'submit');
    return !living.some((owner) => isOfVersion(owner, to)) && (await isCurrent(temporal, version)) === true;
  }

  async #terminate({ name }: BatchRecord, runId: string, to: WorkerVersion): Promise<boolean> {
    const { temporal, ledger } = this.#request;
    try {
      // This run only: another worker may have replaced it a moment ago.
      const handle = temporal.client.workflow.getHandle(batchWorkflowId(ledger.id, name), runId);
      await handle.terminate(`No worker of version ${to.deploymentName}:${to.buildId} is left.`);
    } catch (error) {
      if (!(error instanceof WorkflowNotFoundError)) throw error;
    }
    return true;
  }
}
