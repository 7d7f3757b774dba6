import { WorkflowNotFoundError } from '@temporalio/client';
import { batchWorkflowId } from '../../contract/names.ts';
import type { Pinning, WorkerVersion } from '../../contract/worker-version.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { BatchRecord } from '../../ledger/batches/batch-records.ts';
import { isOfVersion } from '../../policy/lanes/versions.ts';
import type { Temporal } from '../temporal/open-temporal.ts';
import { isCurrent, isSameVersion, isUnversioned, unpinCommand } from './current-version.ts';

export interface StrandedRequest {
  readonly temporal: Pick<Temporal, 'address' | 'client' | 'namespace'>;
  readonly ledger: Pick<Ledger, 'id' | 'livingWorkers'>;
  /** This worker's; undefined without Worker Versioning. */
  readonly version: WorkerVersion | undefined;
  readonly say: (line: string) => void;
}

/**
 * Ends the workflow of a batch whose version has no worker left, so that it can be started anew with workers that get
 * new work. Pinned as it is, Temporal would keep it for workers that never come back: whoever replaces the last old
 * worker before the batch has moved on leaves it so. The workflow knows nothing that the ledger does not. Does so only
 * when asked twice in a row, since workers may be restarting, and only for those that get new work: the batch was to go
 * there anyway. These are workers of the current version, or where its deployment has none, those without a version. A
 * run that somebody has pinned stays; that is said once.
 */
export class StrandedBatches {
  readonly #request: StrandedRequest;
  /** Runs that had no worker at the last look. */
  readonly #seen = new Set<string>();
  /** Runs of which was said that they stay. */
  readonly #said = new Set<string>();

  constructor(request: StrandedRequest) {
    this.#request = request;
  }

  /** Returns whether the workflow of the batch was ended. */
  async end(batch: BatchRecord, { runId, to, byHand }: Pinning): Promise<boolean> {
    const isStranded = await this.#isStranded(batch, to);
    if (isStranded && byHand) this.#sayOnce(batch.name, runId, to);
    if (byHand) return false;
    const isSure = isStranded && this.#seen.delete(runId);
    if (isSure) return this.#terminate(batch, runId, to);
    if (isStranded) this.#seen.add(runId);
    else this.#seen.delete(runId);
    return false;
  }

  async #isStranded({ apiUrl, account }: BatchRecord, to: WorkerVersion): Promise<boolean> {
    const { temporal, ledger, version } = this.#request;
    if (version !== undefined && isSameVersion(to, version)) return false;
    const living = await ledger.livingWorkers(apiUrl, account, 'submit');
    if (living.some((owner) => isOfVersion(owner, to))) return false;
    const getsWork = version === undefined ? isUnversioned(temporal, to.deploymentName) : isCurrent(temporal, version);
    return (await getsWork) === true;
  }

  #sayOnce(batch: string, runId: string, to: WorkerVersion): void {
    if (this.#said.has(runId)) return;
    this.#said.add(runId);
    const { temporal, ledger, say } = this.#request;
    const unpin = unpinCommand(temporal, batchWorkflowId(ledger.id, batch));
    say(
      `Batch "${batch}" waits: somebody has pinned it to ${to.deploymentName}:${to.buildId}, which has no worker. Start one, or: ${unpin}`,
    );
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
