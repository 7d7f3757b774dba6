import { ApiError, type JobReading } from '../api/speech-api.ts';
import type { Failure } from '../contract/failures.ts';
import { nextLook } from '../workflows/policy/looks.ts';
import { pausesBatch } from '../workflows/policy/retry.ts';
import type { Dependencies } from './dependencies.ts';
import { fetchResult, giveUpResult } from './fetch-result.ts';
import { reportHealth, waitForSlot } from './slots.ts';
import type { WaitedJob } from './waited-job.ts';

/** Looks at a job that the API says it does not know, or a completed job without a link, before giving it up. */
const MOST_TROUBLES = 6;

/**
 * One look at a job. Returns true if the ledger now says something new about its row; false if the job runs on, could not
 * be read, or its download was begun. A look that fails is a failed look, never a failed job.
 */
export async function lookAtJob(deps: Dependencies, job: WaitedJob, signal: AbortSignal): Promise<boolean> {
  const reading = await readJob(deps, job, signal);
  if (reading === undefined) return false;
  switch (reading.phase) {
    case 'failed': {
      const message = `The API says that job ${job.jobId} failed: ${reading.error ?? reading.status}.`;
      const failure: Failure = { class: 'JobFailed', message };
      return deps.ledger.finishJob(job.key, { failure, ...creditsOf(reading) }, { outcome: 'failed', failure });
    }
    case 'completed':
      if (reading.resultUrl === undefined) return troubled(deps, job, 'is completed but has no link to its result');
      void deps.fetches.run(job.name, () => fetchResult(deps, job, reading));
      return false;
    case 'running':
      return stillRunning(deps, job, reading);
  }
}

/** Reads the job; undefined if that did not work, and then it is due again later. */
async function readJob(deps: Dependencies, job: WaitedJob, signal: AbortSignal): Promise<JobReading | undefined> {
  const { settings } = job.loaded.batch;
  let sentAt = deps.clock.now().wall;
  try {
    await waitForSlot(deps, 'read', settings.limits.pollRate, signal);
    sentAt = deps.clock.now().wall;
    const reading = await deps.reads(() => deps.api.readJob(job.operation, job.jobId, signal));
    return reading;
  } catch (error) {
    if (signal.aborted) return undefined;
    if (!(error instanceof ApiError)) throw error;
    const { failure } = error;
    await reportHealth(deps, 'read', sentAt, failure);
    if (pausesBatch(failure.class)) await deps.ledger.setControl(job.key.batch, 'paused', failure);
    if (failure.class === 'Rejected') await troubled(deps, job, `cannot be read: ${failure.message}`);
    else again(deps, job);
    return undefined;
  }
}

async function stillRunning(deps: Dependencies, job: WaitedJob, reading: JobReading): Promise<boolean> {
  const { jobDeadlineMs } = job.loaded.batch.settings;
  if (deps.clock.now().wall - job.acceptedAt <= jobDeadlineMs) {
    again(deps, job);
    return false;
  }
  const minutes = String(Math.round(jobDeadlineMs / 60_000));
  const message = `Job ${job.jobId} is still "${reading.status}" after ${minutes} min; it may have been charged.`;
  await deps.ledger.endRow(job.key.batch, job.key.row, { outcome: 'overdue', failure: { class: 'Overdue', message } });
  return true;
}

/** Notes the next look at the plan's gap. */
function again(deps: Dependencies, job: WaitedJob): void {
  deps.looks.again(job.name, nextLook(job.loaded.batch.settings, deps.clock.now().wall, Math.random()));
}

/** The job is no help this time; after a few such looks the row fails and keeps its job id. */
async function troubled(deps: Dependencies, job: WaitedJob, what: string): Promise<boolean> {
  const next = nextLook(job.loaded.batch.settings, deps.clock.now().wall, Math.random());
  if (deps.looks.troubled(job.name, next) < MOST_TROUBLES) return false;
  return giveUpResult(deps, job, `Job ${job.jobId} ${what}`);
}

/** What the API says the job cost, where it says so. */
export function creditsOf(reading: JobReading): { readonly credits?: number } {
  return reading.credits === undefined ? {} : { credits: reading.credits };
}
