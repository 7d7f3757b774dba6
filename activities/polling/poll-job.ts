import { ApiError, type JobReading } from '../../api/speech-api.ts';
import { defined } from '../../contract/defined.ts';
import type { WorkEvent } from '../../contract/work-events.ts';
import type { Failure } from '../../contract/failures.ts';
import type { RowSnapshot } from '../../ledger/rows/row-records.ts';
import { withoutIds } from '../../policy/rows/group-reasons.ts';
import { FEW_FAILED_POLLS, maxFailedPolls, nextPoll } from '../../policy/polling/poll-schedule.ts';
import type { Span } from '../../policy/polling/job-times.ts';
import { afterJobFailed } from '../../policy/rows/new-take.ts';
import type { Dependencies } from '../dependencies.ts';
import { fetchResult, giveUpResult, missingLinkDetails, type TroubleDetails } from '../fetch-result.ts';
import { loadBatch } from '../cache/batch-cache.ts';
import type { PollTrouble } from './polled-jobs.ts';
import { handOverRow } from '../hand-over-row.ts';
import { readInTurn } from './read-in-turn.ts';
import { ageOf, isPastDeadline, readAwaitedJob, type AwaitedJob } from './awaited-job.ts';

/** Maximum consecutive failed polls of either kind ({@link PollTrouble}). Then the row fails. */
const MAX_TROUBLES = 6;

/**
 * The result of a poll: the row's snapshot, if the poll changed it. `fetched`: the result is being downloaded.
 * `released`: another worker downloads it. `same`: the job still runs, or could not be read.
 */
export type PollResult = RowSnapshot | 'fetched' | 'released' | 'same';

/**
 * Polls a job once: reads it from the API, records its end, starts the download of its result, or schedules the next
 * poll. A failed poll never means a failed job. The signal aborts the read.
 */
export async function pollJob(deps: Dependencies, job: AwaitedJob, signal: AbortSignal): Promise<PollResult> {
  let reading: JobReading;
  const isHinted = deps.hints.beginPoll(job.jobId);
  try {
    reading = await readInTurn(deps, job.key.batch, signal, () => readAwaitedJob(deps, job, signal));
  } catch (error) {
    deps.hints.pollFailed(job.jobId);
    if (signal.aborted) return 'same';
    if (!(error instanceof ApiError)) throw error;
    observePoll(deps, job, { found: 'unread', failure: error.failure.class });
    return afterFailedPoll(deps, job, error.failure);
  }
  observePoll(deps, job, { found: reading.phase });
  deps.polls.wasRead(job.name);
  if (reading.phase !== 'running') {
    const span = deps.polls.ended(job.name, ageOf(job, deps.clock.now().wall));
    if (span !== undefined) deps.jobTimes.add(deps, job.operation, isHinted ? justBefore(span) : span);
    deps.hints.foundEnded(job.jobId, isHinted);
    deps.concurrencyLimit.ended(job.name);
  }
  switch (reading.phase) {
    case 'failed':
      return endFailed(deps, job, reading);
    case 'completed':
      if (reading.resultUrl === undefined)
        return troubled(deps, job, 'result', 'is completed but has no link', missingLinkDetails(reading));
      if (deps.only === 'submit') {
        await handOverRow(deps, job.key, { isToFetch: true });
        return 'released';
      }
      // The row's previous holder in this process may have started the download already.
      if (!deps.fetches.isRunning(job.name)) void deps.fetches.track(job.name, fetchResult(deps, job, reading));
      return 'fetched';
    case 'running':
      deps.hints.foundRunning(job.jobId);
      return stillRunning(deps, job, reading);
  }
}

/** Emits the event of a poll. */
function observePoll(
  { observe, clock }: Dependencies,
  job: AwaitedJob,
  what: Pick<Extract<WorkEvent, { type: 'poll' }>, 'found' | 'failure'>,
): void {
  const { key, operation, jobId } = job;
  observe({ type: 'poll', ...key, operation, jobId, ageMs: ageOf(job, clock.now().wall), ...what });
}

/**
 * Narrows the span of a job's end: a webhook arrives soon after the end, so it was within the last tenth of the age.
 */
function justBefore([from, to]: Span): Span {
  return [Math.max(from, 0.9 * to), to];
}

/** Records that the API reports a job as failed: its row fails too, unless the user has agreed to pay for retakes. */
async function endFailed(deps: Dependencies, job: AwaitedJob, reading: JobReading): Promise<RowSnapshot> {
  const words = `The API says that job ${job.jobId} failed: ${reading.error ?? reading.status}`;
  const failure: Failure = {
    class: 'JobFailed',
    cause: withoutIds(reading.error ?? reading.status),
    message: `${words.slice(0, 440)} (the API may have charged for it).`,
  };
  const { control, settings } = await loadBatch(deps, job.key.batch);
  const effect = afterJobFailed(settings.retakes, control, job.key.step, failure);
  return deps.ledger.finishJob(job.key, { failure, ...defined({ credits: reading.credits }) }, effect);
}

/**
 * Handles a job that could not be read. Usually it is polled again later. If the API does not know the job, its row
 * fails after a few polls. If the API is unreachable, polling continues until the job's deadline, and then for a number
 * of failed polls. If the token is refused, the batch is paused, and polling continues until the user fixes that,
 * except in a stopping batch.
 */
async function afterFailedPoll(deps: Dependencies, job: AwaitedJob, failure: Failure): Promise<PollResult> {
  if (failure.class === 'BadRequest') return troubled(deps, job, 'read', `cannot be read: ${failure.message}`);
  // Only a refused token needs the user here. Reads are free, so a lack of credits is for the next paid request to
  // find.
  const needsPerson = failure.class === 'BadToken';
  const isStopping = needsPerson && (await deps.ledger.setControl(job.key.batch, 'paused', failure)) === 'stopping';
  const isLate = !needsPerson && isPastDeadline(job, deps.clock.now().wall);
  const next = nextPollOf(deps, job);
  if (!isStopping && !isLate) {
    deps.polls.again(job.name, next);
    return 'same';
  }
  const max = isStopping ? FEW_FAILED_POLLS : maxFailedPolls(job.loaded.batch.settings);
  if (deps.polls.countTrouble(job.name, 'read', next) < max) return 'same';
  return endOverdue(deps, job, `cannot be read (${failure.message})`);
}

/** Schedules the next poll of a running job; a job past its deadline ends its row as `overdue`. */
async function stillRunning(deps: Dependencies, job: AwaitedJob, reading: JobReading): Promise<PollResult> {
  if (isPastDeadline(job, deps.clock.now().wall)) return endOverdue(deps, job, `is still "${reading.status}"`);
  deps.polls.ran(job.name, ageOf(job, deps.clock.now().wall), nextPollOf(deps, job));
  return 'same';
}

/**
 * Ends a row as `overdue`, with its job id, so that it can be fetched later. `what`: continues the sentence "Job …".
 */
async function endOverdue(deps: Dependencies, job: AwaitedJob, what: string): Promise<RowSnapshot> {
  const minutes = String(Math.round((deps.clock.now().wall - job.waitedSince) / 6_000) / 10);
  const words = `Job ${job.jobId} ${what.slice(0, 400)} after ${minutes} min; it may have been charged.`;
  const failure: Failure = { class: 'Overdue', message: words };
  return deps.ledger.changeRunning(job.key, { outcome: 'overdue', failure });
}

/** Returns the time of the next poll by the schedule, monotonic ms. */
function nextPollOf({ clock }: Dependencies, { loaded }: AwaitedJob): number {
  return nextPoll(loaded.batch.settings, clock.now().monotonic, Math.random());
}

/** Counts a failed poll. After a few in a row the row fails, and keeps its job id. `what`: continues "Job …". */
async function troubled(
  deps: Dependencies,
  job: AwaitedJob,
  trouble: PollTrouble,
  what: string,
  details: TroubleDetails = {},
): Promise<PollResult> {
  if (deps.polls.countTrouble(job.name, trouble, nextPollOf(deps, job)) < MAX_TROUBLES) return 'same';
  return giveUpResult(deps, job, `Job ${job.jobId} ${what}`, details);
}
