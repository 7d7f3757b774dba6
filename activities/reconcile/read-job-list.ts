import type { JobPage, ListedJob } from '../../api/speech-api.ts';
import type { JobList } from '../../batches/free-reads.ts';
import type { Dependencies } from '../dependencies.ts';
import { PAGE_SIZE, type JobListing } from './shared-job-list.ts';
import { apiForDialect } from '../row-api.ts';
import { readWithRetries } from '../polling/read-with-retries.ts';

/** Maximum pages read; a window of minutes needs fewer. */
const MOST_PAGES = 100;
/** Reads the list, each job once: a job that is created meanwhile moves the others to later pages. */
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
  let isWhole = false;
  for (let page = 1; page <= MOST_PAGES && !isWhole; page++) {
    const { jobs: found, hasMore } = await readWithRetries(deps, batch, signal, () => read(page));
    for (const job of found) jobs.set(job.id, job);
    isWhole = !hasMore || found.length === 0;
  }
  return { jobs: [...jobs.values()], begunAt, isWhole };
}

/**
 * True if the listing has every job made since then: it is the whole list, or it goes from the newest job to an older
 * one. The API promises no order, so the order is checked.
 */
export function coversSince(since: number, { jobs, isWhole }: JobListing): boolean {
  if (isWhole) return true;
  const times = jobs.map(({ createdAtMs }) => createdAtMs ?? Number.NaN);
  const isNewestFirst = times.every((time, index) => index === 0 || time <= (times[index - 1] ?? Number.NaN));
  return isNewestFirst && (times.at(-1) ?? Number.NaN) < since;
}
