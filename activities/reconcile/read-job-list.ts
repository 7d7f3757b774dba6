import { ApiError, type JobPage, type ListedJob } from '../../api/speech-api.ts';
import type { FailureClass } from '../../contract/failures.ts';
import type { JobList } from '../../batches/free-reads.ts';
import type { Dependencies } from '../dependencies.ts';
import { PAGE_SIZE, type Listing } from './shared-job-list.ts';
import { apiIn } from '../row-api.ts';
import { readInTurn } from '../polling/read-in-turn.ts';

/** Maximum pages read; a window of minutes needs fewer. */
const MOST_PAGES = 100;
/** Failed reads of a page before the look-up fails; trouble that lost a create often lasts for a while. */
const MOST_READS = 6;
/** Read failures that may be temporary. */
const PASSING: readonly FailureClass[] = ['NotSent', 'RateLimited', 'ServiceDown'];

/** Reads the list, each job once: a job that is created meanwhile moves the others to later pages. */
export async function readList(
  deps: Dependencies,
  { dialect, operation }: JobList,
  batch: string,
  signal: AbortSignal,
): Promise<Listing> {
  const begunAt = deps.clock.now().wall;
  const read = (page: number): Promise<JobPage> => apiIn(deps, dialect).listJobs(operation, page, PAGE_SIZE, signal);
  const jobs = new Map<string, ListedJob>();
  let isWhole = false;
  for (let page = 1; page <= MOST_PAGES && !isWhole; page++) {
    const { jobs: found, hasMore } = await readPatiently(deps, batch, signal, () => read(page));
    for (const job of found) jobs.set(job.id, job);
    isWhole = !hasMore || found.length === 0;
  }
  return { jobs: [...jobs.values()], begunAt, isWhole };
}

/** Reads a page of a list in turn; retries if that may help, with the pauses that all reads then make. */
export async function readPatiently<T>(
  deps: Dependencies,
  batch: string,
  signal: AbortSignal,
  read: () => Promise<T>,
): Promise<T> {
  for (let reads = 1; ; reads++) {
    try {
      return await readInTurn(deps, batch, signal, read);
    } catch (error) {
      const mayPass = error instanceof ApiError && PASSING.includes(error.failure.class) && !signal.aborted;
      if (!mayPass || reads >= MOST_READS) throw error;
    }
  }
}

/**
 * True if the listing has every job made since then: it is the whole list, or it goes from the newest job to an older
 * one. The API promises no order, so the order is checked.
 */
export function reachesBackTo(since: number, { jobs, isWhole }: Listing): boolean {
  if (isWhole) return true;
  const times = jobs.map(({ createdAtMs }) => createdAtMs ?? Number.NaN);
  const isNewestFirst = times.every((time, index) => index === 0 || time <= (times[index - 1] ?? Number.NaN));
  return isNewestFirst && (times.at(-1) ?? Number.NaN) < since;
}
