import { ApiError, type JobReading } from '../api/speech-api.ts';
import type { Failure } from '../contract/failures.ts';
import { nextLook } from '../workflows/policy/looks.ts';
import { pausesBatch } from '../workflows/policy/retry.ts';
import type { Dependencies } from './dependencies.ts';
import { fetchResult, giveUpResult } from './fetch-result.ts';
import { readInTurn } from './slots.ts';
import { isPastDeadline, type WaitedJob } from './waited-job.ts';

/** Looks at a job that the API says it does not know, or a completed job without a link, before giving it up. */
const MOST_TROUBLES = 6;

/**
 * One look at a job. Returns true if the ledger now says something new about its row; false if the job runs on, could not
 * be read, or its download was begun. A look that fails is a failed look, never a failed job.
 */
export async function lookAtJob(deps: Dependencies, job: WaitedJob, signal: AbortSignal): Promise<boolean> {
  let reading: JobReading;
  try {
    reading = await readInTurn(deps, job.key.batch, signal, () => deps.api.readJob(job.operation, job.jobId, signal));
  } catch (error) {
    if (signal.aborted) return false;
    if (!(error instanceof ApiError)) throw error;
    return afterFailedLook(deps, job, error.failure);
  }
  switch (reading.phase) {
    case 'failed': {
      const words = `The API says that job ${job.jobId} failed: ${reading.error ?? reading.status}`;
      const message = `${words.slice(0, 440)} (the API may have charged for it).`;
      const failure: Failure = { class: 'JobFailed', message };
      return deps.ledger.finishJob(job.key, { failure, ...creditsOf(reading) }, { outcome: 'failed', failure });
    }
    case 'completed':
      if (reading.resultUrl === undefined) return troubled(deps, job, 'is completed but has no link to its result');
      // Another slice may have begun it meanwhile.
      if (!deps.fetches.isRunning(job.name)) void deps.fetches.run(job.name, () => fetchResult(deps, job, reading));
      return false;
    case 'running':
      return stillRunning(deps, job, reading);
  }
}

/**
 * The job could not be read, and is due again later. One that the API does not know is given up after a few looks; one that
 * it cannot show for as long as jobs may take, a few looks after that.
 */
async function afterFailedLook(deps: Dependencies, job: WaitedJob, failure: Failure): Promise<boolean> {
  if (pausesBatch(failure.class)) await deps.ledger.setControl(job.key.batch, 'paused', failure);
  if (failure.class === 'Rejected') return troubled(deps, job, `cannot be read: ${failure.message}`);
  const now = deps.clock.now().wall;
  if (failure.class === 'ServiceDown' && isPastDeadline(job, now)) {
    const next = nextLook(job.loaded.batch.settings, now, Math.random());
    return deps.looks.troubled(job.name, next) < MOST_TROUBLES ? false : endOverdue(deps, job, 'cannot be read');
  }
  again(deps, job);
  return false;
}

async function stillRunning(deps: Dependencies, job: WaitedJob, reading: JobReading): Promise<boolean> {
  if (isPastDeadline(job, deps.clock.now().wall)) return endOverdue(deps, job, `is still "${reading.status}"`);
  again(deps, job);
  return false;
}

async function endOverdue(deps: Dependencies, job: WaitedJob, what: string): Promise<boolean> {
  const minutes = String(Math.round(job.loaded.batch.settings.jobDeadlineMs / 6_000) / 10);
  const message = `Job ${job.jobId} ${what} after ${minutes} min; it may have been charged.`;
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
function creditsOf(reading: JobReading): { readonly credits?: number } {
  return reading.credits === undefined ? {} : { credits: reading.credits };
}
