import { ApiError, type JobPage, type ListedJob } from '../api/speech-api.ts';
import type { AttemptKey } from '../contract/batch.ts';
import type { FailureClass } from '../contract/failures.ts';
import type { Operation } from '../contract/row-kinds.ts';
import { jobToAdopt, type LostCreate } from '../workflows/policy/adopt.ts';
import type { Dependencies } from './dependencies.ts';
import type { LoadedAttempt } from './load-attempt.ts';
import { readInTurn } from './slots.ts';

/** Jobs a page; the largest that public material names. */
const PAGE_SIZE = 50;
/** Pages looked through; a window of minutes never needs as many. */
const MOST_PAGES = 100;
/** Reads of a page that may fail before the look-up does; trouble that lost a create often lasts for a while. */
const MOST_READS = 6;
/** Failures of a read that may be over the next time. */
const PASSING: readonly FailureClass[] = ['NotSent', 'RateLimited', 'ServiceDown'];
/** A create may have been on its way for this long when its job was made. */
const LONGEST_CREATE_MS = 15 * 60_000;
/** How far the API's clock may be from ours. */
const CLOCK_SLACK_MS = 60_000;

/** True if the API can be asked for a job whose id was lost. Only lip-sync jobs have a list. */
export function canLookUp(operation: Operation): boolean {
  return operation === 'lip-sync-job';
}

/** The job that a lost lip-sync create made, if the list leaves no doubt. Throws ApiError if the list cannot be read. */
export async function lookUpLost(
  deps: Dependencies,
  loaded: LoadedAttempt,
  key: AttemptKey,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { row, charge, batch } = loaded;
  if (charge === undefined) return undefined;
  const lookedAt = deps.clock.now().wall;
  const jobs: ListedJob[] = [];
  for (let page = 1; page <= MOST_PAGES; page++) {
    const { jobs: found, hasMore } = await readPage(deps, batch.settings.limits.pollRate, page, signal);
    jobs.push(...found);
    if (!hasMore || found.length === 0) break;
  }
  // In this order: a create that began meanwhile is in doubt now, or its job is claimed by then.
  const { apiUrl, account } = batch;
  const since = charge.intentAt - CLOCK_SLACK_MS - LONGEST_CREATE_MS;
  const othersOutstanding = await deps.ledger.isOtherInDoubt(apiUrl, account, key, since);
  const claimed = new Set<string>();
  for (const { id } of jobs) if (await deps.ledger.isJobClaimed(apiUrl, account, id)) claimed.add(id);
  const lost: LostCreate = {
    videoUrl: row.spec.video ?? '',
    // The link that a chain was given is not on record; without it an echoing list cannot match.
    audioUrl: row.spec.audio ?? '',
    intentAt: charge.intentAt,
    lookedAt,
    clockSlackMs: CLOCK_SLACK_MS,
    othersOutstanding,
  };
  return jobToAdopt(lost, jobs, (id) => claimed.has(id));
}

/** Reads a page; again where that may help, with the pauses that all reads make then. */
async function readPage(
  deps: Dependencies,
  pollRate: number | null,
  page: number,
  signal: AbortSignal,
): Promise<JobPage> {
  for (let reads = 1; ; reads++) {
    try {
      return await readInTurn(deps, pollRate, signal, () => deps.api.listLipSyncJobs(page, PAGE_SIZE, signal));
    } catch (error) {
      const mayPass = error instanceof ApiError && PASSING.includes(error.failure.class) && !signal.aborted;
      if (!mayPass || reads >= MOST_READS) throw error;
    }
  }
}
