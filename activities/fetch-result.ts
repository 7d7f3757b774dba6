import { NO_LINK } from '../contract/result-member.ts';
import { defined } from '../contract/defined.ts';
import { ApiError, type JobReading } from '../api/speech-api.ts';
import type { Failure } from '../contract/failures.ts';
import { factsOf } from '../contract/row-kinds.ts';
import type { ResultFile } from '../ledger/records.ts';
import type { RowSnapshot } from '../ledger/rows/row-records.ts';
import type { StoredFile } from '../store/store.ts';
import { afterResult } from '../policy/rows/after-result.ts';
import { withoutCode } from '../policy/rows/group-reasons.ts';
import { nextPoll } from '../policy/polling/poll-schedule.ts';
import { loadBatch } from './cache/batch-cache.ts';
import type { Dependencies } from './dependencies.ts';
import { receiveMedia } from './store-result.ts';
import { readInTurn } from './polling/read-in-turn.ts';
import { isPastDeadline, readAwaitedJob, type AwaitedJob } from './polling/awaited-job.ts';
import { UnfitBody } from '../store/unfit.ts';
import { errorSummary } from './visibility/event-facts.ts';

/** Maximum downloads of one job's result, each from a fresh link. Then the row fails. */
const MAX_DOWNLOADS = 6;
/** Pause before the job is read again for a fresh link, ms; doubled after each failure. */
const FIRST_PAUSE_MS = 500;
/** A link that waited longer than this for its download is read again, ms: links may live for only a second. */
const FRESH_MS = 500;
/**
 * How long the record of a job's end may wait to share a commit with others, ms. A kill meanwhile costs a free poll and
 * a download.
 */
const MIN_PATIENCE_MS = 8;
/**
 * It may wait longer, up to this, if the queue of paid requests takes as long: none of them needs the row's slot yet.
 */
const MAX_PATIENCE_MS = 50;
/** A download longer than this shows in the row's state as `fetching`, ms. */
const SHOWN_AFTER_MS = 500;
/** Pause before the next poll after a local fault (disk full), ms. */
const AFTER_FAULT_MS = 5_000;

/**
 * Downloads the result of a completed job to the store and records it. `reading`: the job as just polled, with the
 * link.
 *
 * A download that had to wait for a slot reads the job again for a fresh link first. A download that fails is not
 * retried from the same link: the next poll brings a fresh one.
 *
 * Returns the row's snapshot; undefined if nothing was recorded. Never rejects: a local fault, such as a full disk, is
 * reported to `onFault`, and the job is polled again later.
 */
export async function fetchResult(
  deps: Dependencies,
  job: AwaitedJob,
  reading: JobReading,
): Promise<RowSnapshot | undefined> {
  try {
    const { key } = job;
    const fetched = await fetchInTurn(deps, job, reading);
    if (fetched === undefined) return undefined;
    const { credits } = fetched;
    const file = checkPace(deps, job, fetched.file);
    // Only what happens with an unfit file depends on the user's latest settings.
    const { settings, control } = file.unfit === undefined ? job.loaded.batch : await loadBatch(deps, key.batch);
    const allowed = { retakes: settings.retakes, control };
    const { effect, ...why } = afterResult(job.loaded.row.spec, key.step, file, allowed);
    const backlogMs = deps.pace.backlogMs('create', key.batch);
    const patienceMs = Math.min(MAX_PATIENCE_MS, Math.max(MIN_PATIENCE_MS, backlogMs));
    const end = { file, ...defined({ credits }), ...why, patienceMs };
    const begunAt = deps.clock.now().monotonic;
    const snapshot = await deps.ledger.finishJob(key, end, effect);
    deps.observe({ type: 'commit', ...key, of: 'result', ms: deps.clock.now().monotonic - begunAt });
    return snapshot;
  } catch (error) {
    if (deps.ending.aborted) return undefined;
    return afterFailedDownload(deps, job, error, reading).catch((fault: unknown) => {
      deps.polls.again(job.name, deps.clock.now().monotonic + AFTER_FAULT_MS);
      deps.onFault(asError(fault));
      return undefined;
    });
  }
}

/**
 * Downloads the file when a slot is free. Returns it with the job's price in credits, if the API states one; undefined
 * if the job no longer has a link.
 */
async function fetchInTurn(
  deps: Dependencies,
  job: AwaitedJob,
  reading: JobReading,
): Promise<{ readonly file: StoredFile; readonly credits?: number | undefined } | undefined> {
  const { activeCount, pendingCount, concurrency } = deps.downloads;
  const isFree = pendingCount === 0 && activeCount < concurrency;
  const readAt = deps.clock.now().monotonic;
  return deps.downloads(async () => {
    const isFresh = isFree || deps.clock.now().monotonic - readAt < FRESH_MS;
    const { resultUrl, credits } = isFresh ? reading : await readAgain(deps, job);
    if (resultUrl === undefined) {
      // The next poll finds out what is wrong.
      deps.polls.again(job.name, deps.clock.now().monotonic);
      return undefined;
    }
    const receive = receiveMedia(deps, job.loaded, job.key);
    const begunAt = deps.clock.now().monotonic;
    const file = await showLong(deps, job, () => deps.api.download(resultUrl, receive, deps.ending));
    deps.observe({
      type: 'download',
      ...job.key,
      jobId: job.jobId,
      bytes: file.bytes,
      ms: deps.clock.now().monotonic - begunAt,
    });
    return { file, credits };
  });
}

/**
 * Checks whether the duration of a speech file fits its text, and returns the file with the finding. The check is a
 * heuristic, so it makes a file unfit only for rows with `verify`: an unfit file delays later steps and may be paid for
 * again.
 */
function checkPace({ speechPaces, observe }: Dependencies, job: AwaitedJob, file: StoredFile): StoredFile & ResultFile {
  const { key, loaded, operation } = job;
  const { seconds, unfit } = file;
  const isSpeech = key.step === 'speech' && factsOf(operation).result === 'audio';
  if (!isSpeech || seconds === undefined || unfit !== undefined) return file;
  const { spec } = loaded.row;
  const odd = speechPaces.judge(spec, seconds);
  if (odd === undefined) return file;
  if (spec.verify !== undefined) return { ...file, unfit: odd };
  observe({ type: 'note', what: 'odd-speech', ...key, facts: { file: file.key, is: odd } });
  return { ...file, oddity: `The speech is ${odd}, as its voice usually speaks; listen to it.` };
}

function readAgain(deps: Dependencies, job: AwaitedJob): Promise<JobReading> {
  return readInTurn(deps, job.key.batch, deps.ending, () => readAwaitedJob(deps, job, deps.ending));
}

/** Runs a download, and records the state `fetching` if it takes long. */
async function showLong<T>(deps: Dependencies, job: AwaitedJob, download: () => Promise<T>): Promise<T> {
  let shown: Promise<unknown> | undefined;
  const timer = setTimeout(() => {
    shown = deps.ledger.changeRunning(job.key, { state: 'fetching' }).catch(deps.onFault);
  }, SHOWN_AFTER_MS);
  try {
    return await download();
  } finally {
    clearTimeout(timer);
    // The process closes its ledger after its last download, so the write must end first.
    await shown;
  }
}

/**
 * Records a failed download and schedules the next poll. If the link or its file was bad too often, the row fails.
 * Rethrows an error that is neither the API's nor the file's.
 */
async function afterFailedDownload(
  deps: Dependencies,
  job: AwaitedJob,
  error: unknown,
  { credits }: JobReading,
): Promise<RowSnapshot> {
  const isBadLink = error instanceof UnfitBody || (error instanceof ApiError && error.failure.class === 'ResultGone');
  if (!isBadLink && !(error instanceof ApiError)) throw error;
  deps.observe({ type: 'download', ...job.key, jobId: job.jobId, error: errorSummary(error) });
  const snapshot = await deps.ledger.changeRunning(job.key, { state: 'processing', trouble: troubleOf(error) });
  const { wall, monotonic } = deps.clock.now();
  // A network failure is usually temporary. If it is not, the batch must still end, so the deadline limits it.
  if (!isBadLink && !isPastDeadline(job, wall)) {
    deps.polls.again(job.name, nextPoll(job.loaded.batch.settings, monotonic, Math.random()));
    return snapshot;
  }
  const failed = deps.polls.countTrouble(job.name, 'result', monotonic + FIRST_PAUSE_MS);
  deps.polls.again(job.name, monotonic + FIRST_PAUSE_MS * 2 ** (failed - 1));
  if (failed < MAX_DOWNLOADS) return snapshot;
  return giveUpResult(deps, job, error.message, { ...causeOf(error), ...defined({ credits }) });
}

/** Returns the failure with which the row would end if no download succeeds. */
function troubleOf(error: UnfitBody | ApiError): Failure {
  return { class: 'ResultGone', message: error.message.slice(0, 500), ...causeOf(error) };
}

/**
 * Returns who refused the result, and how. Without the error code of whoever refused it, which may differ each time, so
 * that failures of equal cause are counted together.
 */
function causeOf(error: UnfitBody | ApiError): Pick<Failure, 'cause'> {
  const cause = error instanceof ApiError ? error.failure.cause : undefined;
  return cause === undefined ? {} : { cause: withoutCode(cause) };
}

/** Details of a result that cannot be fetched. */
export interface TroubleDetails {
  /** Who refused it, and how; equal for all rows that fail for the same reason. */
  readonly cause?: string | undefined;
  /** What the API answered. */
  readonly answer?: string;
  /** The price of the ended job, if the API stated one, in credits. */
  readonly credits?: number;
}

/** Returns the details of a completed job without a link: the other fields of its answer, since one may be the link. */
export function missingLinkDetails({ members, credits }: JobReading): TroubleDetails {
  return {
    cause: NO_LINK,
    ...defined({ credits }),
    ...(members === undefined ? {} : { answer: `Its answer has: ${members}.` }),
  };
}

/**
 * Ends a row as `failed` because its result cannot be fetched. `why`: begins the message. The row keeps its job id and
 * its charge.
 */
export async function giveUpResult(
  deps: Dependencies,
  job: AwaitedJob,
  why: string,
  { cause, answer, credits }: TroubleDetails,
): Promise<RowSnapshot> {
  const words = `${why} (job ${job.jobId} was accepted and may have been charged).`;
  const message = answer === undefined ? words : `${words} ${answer}`;
  const failure: Failure = {
    class: 'ResultGone',
    message: message.slice(0, 500),
    ...defined({ cause }),
  };
  return deps.ledger.finishJob(job.key, { failure, ...defined({ credits }) }, { outcome: 'failed', failure });
}

function asError(fault: unknown): Error {
  return fault instanceof Error ? fault : new Error(String(fault));
}
