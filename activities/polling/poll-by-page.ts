import { ApiError, type JobReading } from '../../api/speech-api.ts';
import type { JobList } from '../../batches/free-reads.ts';
import type { Dependencies } from '../dependencies.ts';
import { PAGE_SIZE } from '../reconcile/shared-job-list.ts';
import { apiIn } from '../row-api.ts';
import { readInTurn } from './read-in-turn.ts';
import { isPastDeadline, type WaitedJob } from './waited-job.ts';

/**
 * What a page of the API's list says about a job that still runs; undefined if the job itself must be read. See
 * `page-polls.ts`.
 */
export async function pollByPage(deps: Dependencies, job: WaitedJob): Promise<JobReading | undefined> {
  // At its deadline, only the job itself can say what became of it.
  if (isPastDeadline(job, deps.clock.now().wall)) return undefined;
  const { batch } = job.key;
  return deps.pagePolls.readingOf(job, {
    batch,
    gapMs: job.loaded.batch.settings.pollGapMs,
    readPage: (list, page) => readPage(deps, batch, list, page),
    ending: deps.ending,
  });
}

async function readPage(
  deps: Dependencies,
  batch: string,
  { dialect, operation }: JobList,
  page: number,
): Promise<readonly JobReading[]> {
  const { ending } = deps;
  const api = apiIn(deps, dialect);
  try {
    const { jobs } = await readInTurn(deps, batch, ending, () => api.listJobs(operation, page, PAGE_SIZE, ending));
    return jobs;
  } catch (error) {
    // An unreadable list shows nothing; a poll of the job itself finds out what is wrong.
    if (error instanceof ApiError || ending.aborted) return [];
    throw error;
  }
}
