import { WorkflowNotFoundError } from '@temporalio/client';
import { batchWorkflowId } from '../../contract/names.ts';
import type { Pinning, WorkerVersion } from '../../contract/worker-version.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { BatchRecord } from '../../ledger/batches/batch-records.ts';
import { isOfVersion } from '../../policy/lanes/worker-names.ts';
import type { Temporal } from '../temporal/open-temporal.ts';
import { isCurrent, isSameVersion, isUnversioned, unpinCommand } from './current-version.ts';

/** Options of {@link StrandedBatches}. */
export interface StrandedRequest {
  readonly temporal: Pick<Temporal, 'address' | 'client' | 'namespace'>;
  readonly ledger: Pick<Ledger, 'id' | 'livingWorkers'>;
  /** This worker's version; undefined without Worker Versioning. */
  readonly version: WorkerVersion | undefined;
  readonly say: (line: string) => void;
}

/**
 * Terminates workflows that are pinned to a version without workers, so that they can be started again with the version
 * that gets new work. Otherwise Temporal would keep such a workflow for workers that never come back, for example if
 * the last old worker was replaced while the batch was running. Nothing is lost: the ledger has all state of the
 * workflow.
 *
 * A run is terminated only if its version has no worker in two checks in a row, because workers may be restarting, and
 * only by a worker that gets new work: one of the current version, or one without a version if the deployment has no
 * current one. A run that somebody has pinned by hand stays, which is reported once.
 */
export class StrandedBatches {
  readonly #request: StrandedRequest;
  /** Ids of runs that had no worker at the last check. */
  readonly #seen = new Set<string>();
  /** Ids of runs that were reported to stay. */
  readonly #reported = new Set<string>();

  constructor(request: StrandedRequest) {
    this.#request = request;
  }

  /** Checks a batch's pinned run. Returns whether the workflow was terminated. */
  async end(batch: BatchRecord, { runId, to, byHand }: Pinning): Promise<boolean> {
    const isStranded = await this.#isStranded(batch, to);
    if (isStranded && byHand) this.#reportOnce(batch.name, runId, to);
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

  #reportOnce(batch: string, runId: string, to: WorkerVersion): void {
    if (this.#reported.has(runId)) return;
    this.#reported.add(runId);
    const { temporal, ledger, say } = this.#request;
    const unpin = unpinCommand(temporal, batchWorkflowId(ledger.id, batch));
    say(
      `Batch "${batch}" waits: somebody has pinned it to ${to.deploymentName}:${to.buildId}, which has no worker. Start one, or: ${unpin}`,
    );
  }

  async #terminate({ name }: BatchRecord, runId: string, to: WorkerVersion): Promise<boolean> {
    const { temporal, ledger } = this.#request;
    try {
      // Only this run: another worker may have just replaced it.
      const handle = temporal.client.workflow.getHandle(batchWorkflowId(ledger.id, name), runId);
      await handle.terminate(`No worker of version ${to.deploymentName}:${to.buildId} is left.`);
    } catch (error) {
      if (!(error instanceof WorkflowNotFoundError)) throw error;
    }
    return true;
  }
}
