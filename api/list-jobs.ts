import { defined } from '../contract/defined.ts';
import type { ListedOperation } from '../contract/row-kinds.ts';
import type { Connection } from './connection.ts';
import { clientOf } from './operations/client-of.ts';
import { readInput, readJob, readList, type ResultNames } from './read-job.ts';
import { readJson } from './read-json.ts';
import { asNumber, firstOf, type JsonObject, objectsAt, readCreatedAtMs } from './read-members.ts';
import { cleanReading } from './read-paid-job.ts';
import type { JobPage, ListedJob } from './speech-api.ts';

/** The contract does not say where the list is; these are the likely places. */
const LISTS = ['data.tasks', 'data.jobs', 'data.items', 'data.list', 'tasks', 'jobs', 'items', 'list', 'data', ''];

/**
 * Reads a page of an operation's jobs. Throws ApiError, also for a page of unknown shape or with a job without an id: a
 * search for a lost job must not take that for "not there".
 */
export async function listJobs(
  connection: Connection,
  operation: ListedOperation,
  page: number,
  limit: number,
  signal: AbortSignal | undefined,
): Promise<JobPage> {
  const { list, results } = clientOf(connection.dialect, operation);
  return readJson(
    connection,
    list(page, limit),
    (json) => {
      const items = readList(json, LISTS);
      const jobs = items?.map((item) => readListedJob(item, results, connection));
      if (jobs === undefined || jobs.includes(undefined)) return undefined;
      return { jobs: jobs as ListedJob[], hasMore: hasMore(json, page, limit, jobs.length) };
    },
    signal,
  );
}

function readListedJob(item: JsonObject, results: ResultNames, connection: Connection): ListedJob | undefined {
  const job = readJob(item, results, undefined, connection.baseUrl);
  if (job === undefined) return undefined;
  const createdAtMs = readCreatedAtMs([item]);
  const videoUrl = readInput(item, ['videoUrl', 'video_url']);
  const audioUrl = readInput(item, ['audioUrl', 'audio_url']);
  return {
    ...cleanReading(job, connection),
    ...defined({ createdAtMs, videoUrl, audioUrl }),
  };
}

/** By the service's own flag, else by its counts, else by whether the page is full. */
function hasMore(json: unknown, page: number, limit: number, count: number): boolean {
  const places = objectsAt(json, ['data.pagination', 'pagination', 'data.meta', 'meta', 'data', '']);
  const said = firstOf(places, ['has_more', 'hasMore'], (value) => (typeof value === 'boolean' ? value : undefined));
  if (said !== undefined) return said;
  const pages = firstOf(places, ['total_pages', 'totalPages'], asNumber);
  if (pages !== undefined) return page < pages;
  const total = firstOf(places, ['total'], asNumber);
  if (total !== undefined && count > 0) {
    // The service may cap the page size; its own figure then counts.
    const size = firstOf(places, ['limit', 'pageSize', 'page_size'], asNumber) ?? limit;
    return page * size < total;
  }
  return count >= limit;
}
