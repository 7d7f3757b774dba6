import { defined } from '../contract/defined.ts';
import { privateTextsOf, type JobOperation, type RowSpec, type ListedOperation } from '../contract/row-kinds.ts';
import type { Connection } from './connection.ts';
import { clientOf } from './dialects/dialect-table.ts';
import { readJob, readJobId, readInput, readList, type ResultNames } from './read-job.ts';
import { readJson } from './read-json.ts';
import { isErrorBody } from './read-error-body.ts';
import { asCredits, asObject, asNumber, firstOf, type JsonObject, objectsAt, readCreatedAtMs } from './read-members.ts';
import type { JobReading, JobPage, ListedJob } from './speech-api.ts';
import type { Redact } from './failure-text.ts';

/** Reads a job by id. `spec` is its row's request, if known. Throws ApiError. */
export async function readPaidJob(
  connection: Connection,
  operation: JobOperation,
  jobId: string,
  signal: AbortSignal | undefined,
  spec?: RowSpec,
): Promise<JobReading> {
  const { read, results } = clientOf(connection.dialect, operation);
  return readJson(
    connection,
    read(jobId),
    (json, answer) => {
      const names = { ...results, named: connection.resultMembers };
      const job = readJob(json, names, jobId, connection.baseUrl, spec);
      if (job === undefined) return undefined;
      // A failed read is never a failed job. An error body counts as one only if it names the job and its status.
      if (isErrorBody(json) && (job.status === '' || readJobId(json) === undefined)) return undefined;
      const credits = job.credits ?? asCredits(answer.header('x-openapi-credits-used'));
      const isWithoutLink = job.phase === 'completed' && job.resultUrl === undefined;
      const members = isWithoutLink ? describeMembers(json, connection.redact, privateTextsOf(spec)) : undefined;
      return { ...cleanReading(job, connection), ...defined({ credits, members }) };
    },
    signal,
  );
}

/** Removes tokens, links and overlong text from the API's words; keeps the result link. */
function cleanReading(job: JobReading, connection: Pick<Connection, 'redact'>): JobReading {
  return {
    ...job,
    status: connection.redact(job.status, { maxLength: 60 }),
    ...(job.error === undefined ? {} : { error: connection.redact(job.error) }),
  };
}

/** Max characters of a member's name and of its value in a description. */
const MAX_NAME_LENGTH = 60;
const MAX_VALUE_LENGTH = 40;
/** Max length of a description, in characters, so that a failure's message has room for more. */
const MAX_DESCRIPTION_LENGTH = 240;
/** Max members to examine. */
const MAX_MEMBERS = 30;
/** Max nesting depth of listed members. */
const MAX_DEPTH = 4;

/**
 * Lists the members of an answer with truncated values, such as `data.status "done", data.progress 100`, and only the
 * first item of a list (`data.clips.0.href`). Members with a link come first, because one may be the result. Safe to
 * record: the redactor removes tokens, private texts, control characters, and everything but the host of a link.
 */
export function describeMembers(json: unknown, redact: Redact, privateTexts: readonly string[]): string {
  const links: string[] = [];
  const others: string[] = [];
  const add = (value: unknown, name: string, depth: number): void => {
    if (links.length + others.length >= MAX_MEMBERS) return;
    const object = asObject(value);
    if (object !== undefined && depth < MAX_DEPTH) {
      for (const [key, inner] of Object.entries(object).slice(0, MAX_MEMBERS)) {
        add(inner, name === '' ? key : `${name}.${key}`, depth + 1);
      }
      return;
    }
    const first: unknown = Array.isArray(value) ? value[0] : undefined;
    if ((asObject(first) !== undefined || isLink(first)) && depth < MAX_DEPTH) {
      add(first, `${name}.0`, depth + 1);
      return;
    }
    const isSecret = typeof value === 'string' && /token|secret|password|signature|credential/i.test(name);
    const word = isSecret ? '…' : wordOf(value, redact, privateTexts);
    (isLink(value) ? links : others).push(`${redact(name, { maxLength: MAX_NAME_LENGTH })} ${word}`);
  };
  add(json, '', 0);
  const all = [...links, ...others].join(', ');
  return all.length <= MAX_DESCRIPTION_LENGTH
    ? all
    : `${all.slice(0, MAX_DESCRIPTION_LENGTH - 1).replace(/[\uD800-\uDBFF]$/u, '')}…`;
}

function isLink(value: unknown): boolean {
  return typeof value === 'string' && /^https?:/i.test(value);
}

function wordOf(value: unknown, redact: Redact, privateTexts: readonly string[]): string {
  if (typeof value === 'string') return `"${redact(value, { maxLength: MAX_VALUE_LENGTH, privateTexts })}"`;
  if (Array.isArray(value)) return `[${String(value.length)}]`;
  return typeof value === 'object' && value !== null ? '{…}' : String(value);
}

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

/** Whether more pages follow: by the service's own flag, else by its counts, else by whether the page is full. */
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
