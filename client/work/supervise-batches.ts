import { setTimeout as sleep } from 'node:timers/promises';
import { ServiceError } from '@temporalio/client';
import { batchWorkflowId } from '../../contract/names.ts';
import { dutyOfLane, type WorkerDuty } from '../../contract/worker-duty.ts';
import type { WorkerVersion } from '../../contract/worker-version.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { BatchRecord } from '../../ledger/batches/batch-records.ts';
import { lanesFor } from '../../policy/lanes/lane-share.ts';
import { ofSameVersion } from '../../policy/lanes/worker-names.ts';
import { isFirstOrLastUnknown } from '../../policy/visibility/when-to-show.ts';
import type { Temporal } from '../temporal/open-temporal.ts';
import { StrandedBatches } from '../worker-versions/end-stranded.ts';
import { startWorkflow, wakeWorkflow } from '../temporal/start-workflow.ts';
import { readWorkflowState } from '../temporal/workflow-state.ts';

/** Input of {@link superviseBatches}. */
export interface SuperviseRequest {
  readonly temporal: Pick<Temporal, 'address' | 'client' | 'namespace'>;
  readonly ledger: Ledger;
  /** The worker's owner name. */
  readonly owner: string;
  /** The worker's only duty. Default: it has both. */
  readonly only?: WorkerDuty | undefined;
  /** The worker's version, if it takes part in Worker Versioning. */
  readonly version?: WorkerVersion | undefined;
  /** Whether this worker can work on a batch. */
  readonly isMine: (batch: BatchRecord) => boolean;
  /** Pause between two rounds, ms. */
  readonly everyMs: number;
  readonly say: (line: string) => void;
  /** Stops the rounds. */
  readonly signal: AbortSignal;
}

/**
 * Supervises open batches until the signal aborts. A batch without a running workflow (lost, or terminated by hand)
 * gets a new one; a batch that could use this worker but does not is woken. So a joining worker needs no other
 * announcement.
 *
 * First wakes every batch: a request may have been recorded while no worker was there to read it.
 */
export async function superviseBatches(request: SuperviseRequest): Promise<void> {
  const { temporal, ledger, only, version, everyMs, say, signal } = request;
  // Stranded batches are pinned to a worker version that has no worker left. A worker that only downloads has no
  // version, and could not continue them.
  const stranded = only === 'download' ? undefined : new StrandedBatches({ temporal, ledger, version, say });
  try {
    for (const batch of await openBatches(request)) {
      signal.throwIfAborted();
      await startWorkflow(temporal, ledger, batch, { wakes: true }).catch(unlessSilent);
    }
    for (;;) {
      await sleep(everyMs, undefined, { signal });
      for (const batch of await openBatches(request)) {
        signal.throwIfAborted();
        await superviseBatch(batch, request, stranded).catch(unlessSilent);
      }
    }
  } catch (error) {
    // Anything in progress at shutdown is left to the next process.
    if (!signal.aborted) throw error;
  }
}

async function openBatches({ ledger, isMine }: SuperviseRequest): Promise<readonly BatchRecord[]> {
  return (await ledger.listBatches()).filter((batch) => batch.state === 'open' && isMine(batch));
}

/** Supervises one batch in a round. */
async function superviseBatch(
  batch: BatchRecord,
  request: SuperviseRequest,
  stranded: StrandedBatches | undefined,
): Promise<void> {
  const { ledger, say } = request;
  const { client } = request.temporal;
  const { name } = batch;
  const workflow = await readWorkflowState(client, client.workflow.getHandle(batchWorkflowId(ledger.id, name)));
  switch (workflow.type) {
    case 'silent':
      return;
    case 'running': {
      const { pinned } = workflow;
      if (pinned !== undefined && (await stranded?.end(batch, pinned)) === true) {
        await startWorkflow(request.temporal, ledger, batch, { wakes: true });
        const former = `${pinned.to.deploymentName}:${pinned.to.buildId}`;
        say(`Batch "${name}" continues with a new workflow: no worker of its version ${former} is left.`);
        return;
      }
      if ((await isShownWrong(batch, workflow, request)) || (await couldHelp(batch, request)))
        await wakeWorkflow(client, ledger, name);
      return;
    }
    case 'completed':
    case 'ended':
      // The workflow may have closed the batch since it was listed.
      if ((await ledger.findBatch(name))?.state !== 'open') return;
      await startWorkflow(request.temporal, ledger, batch, { wakes: true });
      if (workflow.type === 'ended') say(`Batch "${name}" continues with a new workflow. ${workflow.message}`);
  }
}

/** True if Temporal's lists show unknown rows of a batch that has none, or none of a batch that has some. */
async function isShownWrong(
  { name }: BatchRecord,
  { shownUnknown }: { readonly shownUnknown?: number },
  { ledger }: SuperviseRequest,
): Promise<boolean> {
  if (shownUnknown === undefined) return false;
  const { outcomes } = await ledger.counts(name);
  return isFirstOrLastUnknown(shownUnknown, outcomes.unknown);
}

/** True if this worker has no lane of the batch, and the batch has work for more lanes than there are. */
async function couldHelp(
  { name, apiUrl, account, control }: BatchRecord,
  { ledger, owner, only }: SuperviseRequest,
): Promise<boolean> {
  if (control !== 'running') return false;
  const all = await ledger.laneOwners(name);
  if (all.some((one) => one.owner === owner)) return false;
  // A worker that only downloads has a lane of its own in each batch.
  if (only === 'download') return true;
  const owners = all.filter(({ lane }) => dutyOfLane(lane) === 'submit');
  // A batch of another version moves here by itself, or not at all.
  const names = owners.map((one) => one.owner);
  if (ofSameVersion(owner, names).length < owners.length) return false;
  const { states } = await ledger.counts(name);
  const openRows = Object.values(states).reduce((sum, rows) => sum + rows, 0);
  const workers = ofSameVersion(owner, await ledger.livingWorkers(apiUrl, account, 'submit'));
  return owners.length < lanesFor(openRows, workers.length);
}

/** Ignores that Temporal does not answer; the next round tries again. */
function unlessSilent(error: unknown): void {
  if (!(error instanceof ServiceError)) throw error;
}
