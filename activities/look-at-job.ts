import { ApiError, type JobReading } from '../api/speech-api.ts';
import type { Failure } from '../contract/failures.ts';
import type { RowStanding } from '../ledger/record-types.ts';
import { withoutIds } from '../policy/failure-reason.ts';
import { looksOfPlan, lookAfterFailed, nextAge, nextLook, planAtEnd, type LookPlan } from '../policy/looks.ts';
import { FEW_FAILED_LOOKS, mostFailedLooks } from '../policy/overdue.ts';
import { afterJobFailed } from '../policy/new-take.ts';
import type { Dependencies } from './dependencies.ts';
import { fetchResult, giveUpResult } from './fetch-result.ts';
import { loadBatch } from './load-attempt.ts';
import { lookByPage } from './look-by-page.ts';
import type { LookTrouble } from './look-schedule.ts';
import { readInTurn } from './slots.ts';
import { isPastDeadline, sortsOf, type WaitedJob } from './waited-job.ts';

/** Looks in a row that may be no help, of either kind, before the job is given up. */
const MOST_TROUBLES = 6;

/** What a look found: how the row stands now, if it changed it; `fetched`: the result is on its way; `same`: the job runs on, or could not be read. */
export type Look = RowStanding | 'fetched' | 'same';

/** One look at a job. One that fails is a failed look, never a failed job. The signal ends any. */
export async function lookAtJob(deps: Dependencies, job: WaitedJob, signal: AbortSignal): Promise<Look> {
  let reading: JobReading;
  try {
    const listed = await lookByPage(deps, job);
    if (signal.aborted) return 'same';
    const read = (): Promise<JobReading> => deps.api.readJob(job.operation, job.jobId, signal);
    reading = listed ?? (await readInTurn(deps, job.key.batch, signal, read));
  } catch (error) {
    if (signal.aborted) return 'same';
    if (!(error instanceof ApiError)) throw error;
    return afterFailedLook(deps, job, error.failure);
  }
  deps.looks.wasRead(job.name);
  if (reading.phase !== 'running') {
    const age = ageOf(deps, job);
    const span = deps.looks.ended(job.name, age);
    if (span !== undefined) {
      deps.jobTimes.ended(deps, sortsOf(job), span);
      deps.looks.spared(job.name, looksOfPlan(job.loaded.batch.settings, age));
    }
    deps.concurrencyLimit.ended(job.name);
  }
  switch (reading.phase) {
    case 'failed':
      return endFailed(deps, job, reading);
    case 'completed':
      if (reading.resultUrl === undefined) return troubled(deps, job, 'result', 'is completed but has no link');
      // Whoever had the row before may have begun it meanwhile.
      if (!deps.fetches.isRunning(job.name)) void deps.fetches.run(job.name, () => fetchResult(deps, job, reading));
      return 'fetched';
    case 'running':
      return stillRunning(deps, job, reading);
  }
}

/** The API says that the job failed: the row does, too, unless the user pays for new takes in advance. */
async function endFailed(deps: Dependencies, job: WaitedJob, reading: JobReading): Promise<RowStanding> {
  const words = `The API says that job ${job.jobId} failed: ${reading.error ?? reading.status}`;
  const failure: Failure = {
    class: 'JobFailed',
    cause: withoutIds(reading.error ?? reading.status),
    message: `${words.slice(0, 440)} (the API may have charged for it).`,
  };
  const { control, settings } = await loadBatch(deps, job.key.batch);
  const effect = afterJobFailed(settings.retakes, control, job.key.step, failure);
  return deps.ledger.finishJob(job.key, { failure, ...creditsOf(reading) }, effect);
}

/**
 * The job could not be read, and is due again later. One that the API does not know is given up after a few looks. Where it
 * cannot be shown, patience lasts as long as jobs may take, and as many failed looks more; and where the token is refused, until a
 * person mends it, unless the batch is being stopped: then nobody will.
 */
async function afterFailedLook(deps: Dependencies, job: WaitedJob, failure: Failure): Promise<Look> {
  if (failure.class === 'BadRequest') return troubled(deps, job, 'read', `cannot be read: ${failure.message}`);
  // Reading costs nothing: that the account is out of credits is for the next paid request to find out.
  const needsPerson = failure.class === 'BadToken';
  const isStopping = needsPerson && (await deps.ledger.setControl(job.key.batch, 'paused', failure)) === 'stopping';
  const isLate = !needsPerson && isPastDeadline(job, deps.clock.now().wall);
  const next = nextLookOf(deps, job);
  if (!isStopping && !isLate) {
    deps.looks.again(job.name, isOfService(failure) ? soonAfterFailed(deps, job) : next);
    return 'same';
  }
  const most = isStopping ? FEW_FAILED_LOOKS : mostFailedLooks(job.loaded.batch.settings);
  if (deps.looks.troubled(job.name, 'read', next) < most) return 'same';
  return endOverdue(deps, job, `cannot be read (${failure.message})`);
}

async function stillRunning(deps: Dependencies, job: WaitedJob, reading: JobReading): Promise<Look> {
  if (isPastDeadline(job, deps.clock.now().wall)) return endOverdue(deps, job, `is still "${reading.status}"`);
  const age = ageOf(deps, job);
  const plan = planOf(deps, job);
  const next = nextAge(plan, deps.jobTimes.agesOf(deps, sortsOf(job), plan), age, Math.random());
  deps.looks.ran(job.name, age, deps.clock.now().monotonic + next - age);
  return 'same';
}

/** The user's plan, or a closer one for the last rows of a batch. */
function planOf({ looks }: Dependencies, { key, loaded }: WaitedJob): LookPlan {
  return planAtEnd(loaded.batch.settings, looks.rowsLeft(key.batch), looks.saved);
}

/** A service that was down or away for one look need not be for the next. */
function isOfService(failure: Failure): boolean {
  return (failure.class === 'ServiceDown' || failure.class === 'NotSent') && failure.retryAfterMs === undefined;
}

function soonAfterFailed(deps: Dependencies, job: WaitedJob): number {
  const failed = deps.looks.failed(job.name);
  return lookAfterFailed(planOf(deps, job), failed, deps.clock.now().monotonic, Math.random());
}

/** How long ago the job was accepted, ms. */
function ageOf(deps: Dependencies, { acceptedAt }: WaitedJob): number {
  return Math.max(0, deps.clock.now().wall - acceptedAt);
}

async function endOverdue(deps: Dependencies, job: WaitedJob, what: string): Promise<RowStanding> {
  const minutes = String(Math.round((deps.clock.now().wall - job.waitedSince) / 6_000) / 10);
  const words = `Job ${job.jobId} ${what.slice(0, 400)} after ${minutes} min; it may have been charged.`;
  const failure: Failure = { class: 'Overdue', message: words };
  return deps.ledger.changeRunning(job.key, { outcome: 'overdue', failure });
}

/** Time of the next look at the plan's gap. */
function nextLookOf(deps: Dependencies, job: WaitedJob): number {
  return nextLook(job.loaded.batch.settings, deps.clock.now().monotonic, Math.random());
}

/** The job is no help this time; after a few such looks in a row the row fails and keeps its job id. */
async function troubled(deps: Dependencies, job: WaitedJob, trouble: LookTrouble, what: string): Promise<Look> {
  if (deps.looks.troubled(job.name, trouble, nextLookOf(deps, job)) < MOST_TROUBLES) return 'same';
  return giveUpResult(deps, job, `Job ${job.jobId} ${what}`);
}

/** What the API says the job cost, where it says so. */
function creditsOf(reading: JobReading): { readonly credits?: number } {
  return reading.credits === undefined ? {} : { credits: reading.credits };
}
