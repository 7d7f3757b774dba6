import type { ExitName } from '../../contract/exit-codes.ts';
import { exitOfBatch } from '../../batches/status/view-batch.ts';
import { viewMoney } from '../status/counts-view.ts';
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Control } from '../../contract/outcomes.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { BatchRecord } from '../../ledger/batches/batch-records.ts';
import { byPerson } from '../history/by-person.ts';
import { chooseBatch } from '../open-records.ts';
import { refuseLoading, VoxbatchError } from '../problem.ts';
import type { Settings } from '../settings.ts';
import { ServiceError } from '@temporalio/client';
import { serverElsewhere } from '../temporal/require-server.ts';
import { reachWorker, type Temporal } from '../temporal/open-temporal.ts';
import { wakeWorkflow } from '../temporal/start-workflow.ts';
import { defaultOut } from '../../contract/batch-name.ts';
import type { Tuning } from '../../contract/tunables.ts';
import { nextSteps, type NextStep } from '../status/next-steps.ts';
import { readEnd } from '../results/write-files.ts';
import { refuseForgottenRequests } from '../results/claim-out.ts';
import type { Step } from '../../contract/row-kinds.ts';

/** A request to pause, resume or stop a batch. */
export interface ControlRequest {
  readonly settings: Settings;
  readonly ledger: Ledger;
  readonly batch: BatchRecord;
  /** What the batch is to do from now on: run, pause or stop. */
  readonly control: Control;
  /** With `stopping`, abandon running jobs. */
  readonly isNow: boolean;
  /** Folder of the batch's files, which may show paid requests that the ledger lacks. Default: `out/NAME`. */
  readonly out?: string | undefined;
  /** Why, for the record. */
  readonly reason?: string | undefined;
  readonly say: (line: string) => void;
  /** Called once if paid requests are still in flight. */
  readonly onWait?: () => void;
}

/** State of a batch after such a request. */
export interface ControlResult {
  readonly before: BatchRecord;
  /** The batch afterwards, whoever changed it. */
  readonly after: BatchRecord;
  /** Whether the batch has a worker, which was notified or is `elsewhere`. True for a closed batch. */
  readonly isWorkedOn: boolean;
  /** The Temporal server of its workers, if it is not this command's. They read the request from the ledger. */
  readonly elsewhere?: string | undefined;
  /** Its exit code, if it was resumed but has paused again by itself. */
  readonly pausedAgain?: ExitName | undefined;
  /** Present after a stop. */
  readonly stillRunning?: StillRunning;
}

/** Requests and jobs of a stopped batch that are still running at the API. */
export interface StillRunning {
  /** Paid requests without a recorded answer. */
  readonly inFlight: number;
  /** Total cost of these jobs; jobs without a known price count as 0. */
  readonly creditsOfJobs: number;
  readonly jobs: readonly RunningJob[];
}

/**
 * Pauses, resumes or stops a batch. The request is written to the ledger first: from then on no new paid request can be
 * recorded against it, whether Temporal answers or not. Then the workflow is notified; a pause or stop resolves once no
 * paid request is in flight. A resume may send all rows that are left, so their out folder is first checked for paid
 * requests that the ledger lacks.
 * Throws {@link VoxbatchError} (`loading`, `forgotten-requests`, `not-notified`).
 */
export async function controlBatch(request: ControlRequest): Promise<ControlResult> {
  const { settings, ledger, batch: before, control, isNow, reason, say } = request;
  refuseLoading(before);
  const batch = before.name;
  let isWorkedOn = true;
  let elsewhere: string | undefined;
  if (before.state === 'open') {
    if (control === 'running' && before.control === 'paused') await requireResumable(request);
    const by = byPerson(settings, reason);
    await (isNow ? ledger.stopNow(batch, by) : ledger.setControl(batch, control, undefined, by));
    const isNotified = await notifyWorkers({ settings, ledger, batch, say });
    if (!isNotified) elsewhere = await serverElsewhere(settings, ledger);
    isWorkedOn = isNotified || elsewhere !== undefined;
    if (control !== 'running' && isWorkedOn) await drainRequests(request);
    if (control === 'stopping') await cancelRest(request, isWorkedOn);
  }
  const after = await chooseBatch(ledger, batch);
  const isPausedAgain =
    control === 'running' && before.state === 'open' && after.control === 'paused' && after.pauseReason !== null;
  const pausedAgain = isPausedAgain ? await exitOfBatch(ledger, batch) : undefined;
  const controlled = { before, after, isWorkedOn, elsewhere, pausedAgain };
  return control === 'stopping' ? { ...controlled, stillRunning: await readRunning(ledger, batch) } : controlled;
}

/**
 * Checks that a batch may be resumed. In a restored ledger, requests may be missing until the workers that sent them
 * have recorded them again, which the ledger checks first; then the out folder is checked for such requests.
 */
async function requireResumable({ ledger, batch, out }: ControlRequest): Promise<void> {
  await ledger.requireResumable(batch.name);
  await refuseForgottenRequests(resolve(out ?? defaultOut(batch.name)), batch, ledger);
}

async function readRunning(ledger: Ledger, batch: string): Promise<StillRunning> {
  const jobs = await runningJobs(ledger, batch);
  const creditsOfJobs = jobs.reduce((sum, { credits }) => sum + (credits ?? 0), 0);
  return { inFlight: (await ledger.sending(batch)).length, creditsOfJobs, jobs };
}

/**
 * Cancels the rows that were not sent, and waits briefly for the batch to close. The workflow closes it, at once if no
 * job is running; without a worker, the ledger does.
 */
async function cancelRest(
  { ledger, batch: { name: batch }, isNow }: ControlRequest,
  isWorkedOn: boolean,
): Promise<void> {
  await ledger.cancelRest(batch);
  if (!isWorkedOn) await ledger.closeBatch(batch);
  const from = Date.now();
  while (isNow && isWorkedOn && Date.now() - from < CLOSING_MS && (await ledger.findBatch(batch))?.state === 'open')
    await sleep(POLL_EVERY_MS);
}

/**
 * Resolves when no paid request of the batch is in flight, or somebody else resumes the batch. The ledger is
 * conclusive: it records no intent against the request, and an earlier intent has no verdict while its own request may
 * be in flight.
 */
async function drainRequests({ ledger, batch: { name: batch }, onWait }: ControlRequest): Promise<void> {
  const from = Date.now();
  let hasReported = false;
  while (Date.now() - from < DRAIN_MS && (await ledger.sending(batch)).length > 0) {
    if ((await ledger.findBatch(batch))?.control === 'running') return;
    if (!hasReported && Date.now() - from >= SLOW_MS) {
      hasReported = true;
      onWait?.();
    }
    await sleep(POLL_EVERY_MS);
  }
}

/** Max wait for requests in flight, ms: a paid request itself waits at most 3 minutes. */
const DRAIN_MS = 200_000;
/** Max wait for the batch to close, ms: a workflow takes a second or two, unless its worker has just died. */
const CLOSING_MS = 10_000;
const POLL_EVERY_MS = 50;

/** After this long, the user is told what is being waited for, ms. */
const SLOW_MS = 2_000;

/** A batch whose workers to notify. */
export interface NotifyRequest {
  readonly settings: Settings;
  readonly ledger: Ledger;
  /** Name of the batch. */
  readonly batch: string;
  readonly say: (line: string) => void;
}

/**
 * Wakes a batch's workers for a request that is already in the ledger. Resolves with false if there are none: the
 * request then waits in the ledger for the next worker. Throws {@link VoxbatchError} (`not-notified`) if Temporal
 * cannot be reached; the request stays on record.
 */
export async function notifyWorkers({ settings, ledger, batch, say }: NotifyRequest): Promise<boolean> {
  let temporal: Temporal | undefined;
  const slow = setTimeout(() => {
    say('It is recorded. Waiting for Temporal, to notify the workers …');
  }, SLOW_MS);
  try {
    temporal = await reachWorker(settings, say);
    return temporal !== undefined && (await wakeWorkflow(temporal.client, ledger, batch));
  } catch (error) {
    const isUnavailable = error instanceof ServiceError || error instanceof VoxbatchError;
    throw isUnavailable ? new VoxbatchError({ type: 'not-notified', cause: error }) : error;
  } finally {
    clearTimeout(slow);
    await temporal?.close();
  }
}

/** Changes to a batch's settings. */
export interface TuneRequest {
  readonly settings: Settings;
  readonly ledger: Ledger;
  readonly batch: BatchRecord;
  /** Absent members stay as they are. */
  readonly tuning: Tuning;
  /** Why, for the record. */
  readonly reason?: string | undefined;
  readonly say: (line: string) => void;
}

/**
 * Changes a batch's settings in the ledger, where every paid request reads them. The workflow is notified because its
 * lanes divide the window and the submits among them. Only the given settings change, so concurrent callers that tune
 * different ones both succeed.
 *
 * Returns whether workers were notified: false if none works on the batch. Throws {@link VoxbatchError} (`loading`,
 * `no-price`, `forgotten-results`, `not-notified`; to leave the cache mode `only` on an accepted copy also those of
 * {@link requireStore}).
 */
export async function tuneBatch({ settings, ledger, batch, tuning, reason, say }: TuneRequest): Promise<boolean> {
  refuseLoading(batch);
  await requirePrices(ledger, batch, tuning);
  // A closed batch sends nothing before a redrive, which looks at its rows.
  if (batch.state === 'open' && tuning.cache !== undefined) {
    const { refuseForgottenResults } = await import('../results/forgotten-results.ts');
    await refuseForgottenResults(settings, ledger, batch, tuning, { opensLeftOut: false });
  }
  await ledger.tune(batch.name, tuning, byPerson(settings, reason));
  return batch.state === 'open' && (await notifyWorkers({ settings, ledger, batch: batch.name, say }));
}

/** A batch with its current settings. */
export interface Tuned {
  readonly batch: BatchRecord;
  readonly money: ReturnType<typeof viewMoney>;
  /** Next steps of a finished batch; empty for any other. */
  readonly next: readonly NextStep[];
}

/** Reads a batch's state after its settings were changed or viewed. */
export async function readTuned(
  settings: Pick<Settings, 'store' | 'env'>,
  ledger: Ledger,
  name: string,
): Promise<Tuned> {
  const batch = await chooseBatch(ledger, name);
  const money = await ledger.money(name);
  const sums = { batch, money, counts: await ledger.counts(name), out: defaultOut(name) };
  const next = batch.state === 'closed' ? nextSteps(await readEnd(settings, ledger, sums)) : [];
  return { batch, money: viewMoney(money, batch.settings.budget), next };
}

/**
 * Refuses a budget for a batch with unpriced rows, because a budget would keep such rows from being sent. Throws {@link
 * VoxbatchError} (`no-price`).
 */
export async function requirePrices(ledger: Ledger, batch: BatchRecord, { budget }: Tuning): Promise<void> {
  if (budget == null || batch.state === 'closed') return;
  for await (const { row } of ledger.scanRows(batch.name)) {
    if (row.outcome !== null || row.quoted !== null) continue;
    throw new VoxbatchError({ type: 'no-price', batch: batch.name, row: row.row, id: row.id });
  }
}

/** An accepted job that is not known to have ended. */
export interface RunningJob {
  readonly row: number;
  readonly id: string;
  readonly step: Step;
  /** Null if the API returned no id. */
  readonly jobId: string | null;
  /** Its cost; null if unknown. */
  readonly credits: number | null;
  /** Source of the cost: the API, or our quote. */
  readonly creditsKind: 'api' | 'quote' | null;
}

/** The jobs of a batch that still run at the API, by row. */
async function runningJobs(ledger: Ledger, batch: string): Promise<readonly RunningJob[]> {
  const jobs: RunningJob[] = [];
  for (const charge of await ledger.runningJobs(batch)) {
    const { row, step, jobId, charged, chargedFrom, quoted } = charge;
    const id = (await ledger.readRow(batch, row))?.row.id ?? '';
    const credits = charged ?? quoted;
    const from = charged === null ? 'quote' : chargedFrom;
    jobs.push({ row, id, step, jobId, credits, creditsKind: credits === null ? null : from });
  }
  return jobs;
}
