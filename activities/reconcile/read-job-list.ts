import type { JobPage, ListedJob } from '../../api/speech-api.ts';
import type { JobList } from '../../batches/free-reads.ts';
import type { Dependencies } from '../dependencies.ts';
import { PAGE_SIZE, type JobListing } from './shared-job-list.ts';
import { apiForDialect } from '../row-api.ts';
import { readWithRetries } from '../polling/read-with-retries.ts';

/** Maximum pages read. The jobs of the last minutes are on fewer. */
const MAX_PAGES = 100;

/**
 * Reads the API's list of jobs of an operation, page by page. Returns each job once, although a job created meanwhile
 * moves the others to later pages. `batch`: whose share of the rate the reads use. Throws ApiError if a page cannot be
 * read.
 */
export async function readJobList(
  deps: Dependencies,
  { dialect, operation }: JobList,
  batch: string,
  signal: AbortSignal,
): Promise<JobListing> {
  const begunAt = deps.clock.now().wall;
  const read = (page: number): Promise<JobPage> =>
    apiForDialect(deps, dialect).listJobs(operation, page, PAGE_SIZE, signal);
  const jobs = new Map<string, ListedJob>();
  let isComplete = false;
  for (let page = 1; page <= MAX_PAGES && !isComplete; page++) {
    const { jobs: found, hasMore } = await readWithRetries(deps, batch, signal, () => read(page));
    for (const job of found) jobs.set(job.id, job);
    isComplete = !hasMore || found.length === 0;
  }
  return { jobs: [...jobs.values()], begunAt, isComplete };
}

/**
 * Returns whether a listing contains every job created since a time (wall clock, ms): it is complete, or goes from the
 * newest job down to one that is older. The API promises no order, so the order is checked; a job without a time makes
 * the answer false.
 */
export function coversSince(since: number, { jobs, isComplete }: JobListing): boolean {
  if (isComplete) return true;
  const times = jobs.map(({ createdAtMs }) => createdAtMs ?? Number.NaN);
  const isNewestFirst = times.every((time, index) => index === 0 || time <= (times[index - 1] ?? Number.NaN));
  return isNewestFirst && (times.at(-1) ?? Number.NaN) < since;
}
