import { setTimeout as sleep } from 'node:timers/promises';
import { runningJobs, type RunningJob } from '../../batches/look/running-jobs.ts';
import type { Control } from '../../contract/outcomes.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { BatchRecord } from '../../ledger/record-types.ts';
import { chooseBatch } from '../open-records.ts';
import { refuseLoading } from '../refuse-loading.ts';
import type { Settings } from '../settings.ts';
import { tellWorkers } from './tell-workers.ts';

/** What a batch is to do. */
export interface SteerRequest {
  readonly settings: Settings;
  readonly ledger: Ledger;
  readonly batch: BatchRecord;
  readonly wish: Control;
  /** With `stopping`: wait for no job. */
  readonly isNow: boolean;
  readonly say: (line: string) => void;
  /** Called once if paid requests are still in flight. */
  readonly onWait?: () => void;
}

/** Result of a wish. */
export interface Steered {
  readonly before: BatchRecord;
  /** The batch at the end, whoever changed it. */
  readonly after: BatchRecord;
  /** Whether somebody works on the batch, and was told. True for a closed batch. */
  readonly isWorkedOn: boolean;
  /** After a stop. */
  readonly stillRunning?: StillRunning;
}

/** What a stopped batch leaves at the API. */
export interface StillRunning {
  /** Paid requests without a recorded answer. */
  readonly onTheWire: number;
  /** What the jobs cost together; those without a known price count as nothing. */
  readonly creditsOfJobs: number;
  readonly jobs: readonly RunningJob[];
}

/**
 * Pauses, resumes or stops a batch. The wish is written to the ledger first: from then on no new paid request is
 * recorded against it, whether Temporal answers or not. Then the workflow is told; a pause or stop resolves when no
 * paid request is in flight. Throws {@link VoxbatchError} (`loading`, `untold`).
 */
export async function steerBatch(request: SteerRequest): Promise<Steered> {
  const { settings, ledger, batch: before, wish, isNow, say } = request;
  refuseLoading(before);
  const batch = before.name;
  let isWorkedOn = true;
  if (before.state === 'open') {
    await (isNow ? ledger.stopNow(batch) : ledger.setControl(batch, wish));
    isWorkedOn = await tellWorkers({ settings, ledger, batch, say });
    if (wish !== 'running' && isWorkedOn) await emptyWire(request);
    if (wish === 'stopping') await endRest(ledger, batch, isWorkedOn);
  }
  const steered = { before, after: await chooseBatch(ledger, batch), isWorkedOn };
  return wish === 'stopping' ? { ...steered, stillRunning: await readRunning(ledger, batch) } : steered;
}

async function readRunning(ledger: Ledger, batch: string): Promise<StillRunning> {
  const jobs = await runningJobs(ledger, batch);
  const creditsOfJobs = jobs.reduce((sum, { credits }) => sum + (credits ?? 0), 0);
  return { onTheWire: (await ledger.sending(batch)).length, creditsOfJobs, jobs };
}

/**
 * Ends what was not sent. If a workflow runs, it closes the batch; if none does, there is nothing to wait for except
 * the rows that stay open.
 */
async function endRest(ledger: Ledger, batch: string, isWorkedOn: boolean): Promise<void> {
  await ledger.cancelRest(batch);
  if (!isWorkedOn) await ledger.closeBatch(batch);
}

/**
 * Resolves when no paid request of the batch is in flight, or when it continues because of somebody else's wish. The
 * ledger knows: no intent is recorded against a wish, and an earlier one has no verdict as long as its request may be
 * in flight.
 */
async function emptyWire({ ledger, batch: { name: batch }, onWait }: SteerRequest): Promise<void> {
  const from = Date.now();
  let isTold = false;
  while (Date.now() - from < PATIENCE_MS && (await ledger.sending(batch)).length > 0) {
    if ((await ledger.findBatch(batch))?.control === 'running') return;
    if (!isTold && Date.now() - from >= SLOW_MS) {
      isTold = true;
      onWait?.();
    }
    await sleep(LOOK_EVERY_MS);
  }
}

/** A request waits 3 minutes at most. */
const PATIENCE_MS = 200_000;
const LOOK_EVERY_MS = 50;
const SLOW_MS = 2_000;
