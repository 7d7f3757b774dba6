import { orElse } from '../contract/or-else.ts';
import { defined } from '../contract/defined.ts';
import { cellOfLink, contentOfCell } from '../contract/local-media.ts';
import type { RowSpec } from '../contract/row-kinds.ts';
import {
  asId,
  asObject,
  asText,
  firstOf,
  type JsonObject,
  member,
  objectsAt,
  readCredits,
  valueAt,
} from './read-members.ts';
import type { JobReading } from './speech-api.ts';

/**
 * Where an answer may contain the job, the most reliable place first. Public material shows it at the top level, in
 * `data`, and as `task` next to a `record` that may have another id. `requestId` is never the job's id.
 */
const JOB_PLACES = ['data.task', 'task', 'data.job', 'job', 'data', 'data.result', '', 'record', 'data.record'];

const ID_NAMES = ['id', 'taskId', 'task_id', 'jobId', 'job_id'];
const STATUS_NAMES = ['status', 'state', 'taskStatus', 'task_status', 'jobStatus', 'job_status'];
const ERROR_NAMES = ['error_message', 'errorMessage', 'error', 'failure_reason', 'failureReason', 'reason', 'message'];

/** Statuses of completed jobs, in lower case. */
const COMPLETED = new Set(['completed', 'complete', 'succeeded', 'success', 'done', 'finished']);
/** Statuses of failed jobs. Any other word means that the job is running. */
const FAILED = new Set(['failed', 'failure', 'error', 'cancelled', 'canceled', 'expired', 'rejected']);

/** Words about the request, not the job, if they are next to the job or there is no job. */
const ENVELOPE_WORDS = new Set(['success', 'ok', 'error', 'fail']);

/**
 * Where an operation puts the link to its result: its own names first, then any name inside a result object, then names
 * on the job that are an input's too.
 */
export interface ResultNames {
  readonly names: readonly string[];
  readonly inResult: readonly string[];
  /** Names that hold the result only if their link differs from all links sent. Default: none. */
  readonly asInput?: readonly string[];
  /** Names of the other input, which is never the result. Default: none. */
  readonly audioInput?: readonly string[];
  /** Members named by a setting, for an API with nonstandard names; they take precedence. Default: none. */
  readonly named?: readonly string[];
}

/** Reads the id of the job that an answer names; undefined if it names none. */
export function readJobId(json: unknown): string | undefined {
  return firstOf(objectsAt(json, JOB_PLACES), ID_NAMES, asId);
}

/** Where an error may name its job. */
const NAMED_PLACES = [...JOB_PLACES, 'error', 'error.details', 'details'];

/**
 * Reads the id of the job that an error names; undefined if it names none. A plain `id` counts only inside an object
 * named as a job; elsewhere it may be the error's own.
 */
export function readNamedJob(json: unknown): string | undefined {
  const named = objectsAt(json, NAMED_PLACES).flatMap((object) => objectsAt(object, ['', 'existing']));
  const jobs = named.flatMap((object) => objectsAt(object, ['job', 'task']));
  return (
    firstOf(jobs, ID_NAMES, asId) ??
    firstOf(
      named,
      ID_NAMES.filter((name) => name !== 'id'),
      asId,
    )
  );
}

/**
 * Reads a job. Undefined if the answer holds none: no id, no status and no result.
 *
 * @param jobId the requested id; undefined to take it from the answer.
 * @param base address to resolve a relative result link against.
 * @param spec the row's request, if known. Without it, a link under an input's name counts as an input.
 */
export function readJob(
  json: unknown,
  results: ResultNames,
  jobId: string | undefined,
  base: string,
  spec?: RowSpec,
): JobReading | undefined {
  const job = objectsAt(json, JOB_PLACES).find((object) => firstOf([object], ID_NAMES, asId) !== undefined);
  const status = readStatus(json, job);
  const sent = spec === undefined ? undefined : new SentLinks(spec);
  const link = (sent && readNamed(json, results, base, sent)) ?? resolved(readResult(json, job, results), base);
  const id = jobId ?? (job === undefined ? undefined : firstOf([job], ID_NAMES, asId));
  if (id === undefined || (job === undefined && status === undefined && link === undefined)) return undefined;

  const phase = phaseOf(status, link !== undefined);
  const error = phase === 'failed' ? readError(json, job) : undefined;
  const credits = readCredits(json, undefined);
  const resultUrl = phase === 'completed' ? link : undefined;
  const unsentUrl =
    phase === 'completed' && sent !== undefined ? readUnsent(json, results, base, spec, sent) : undefined;
  return {
    id,
    phase,
    status: status ?? '',
    ...defined({ resultUrl: resultUrl ?? unsentUrl, error, credits }),
  };
}

function readStatus(json: unknown, job: JsonObject | undefined): string | undefined {
  const outer = asObject(json);
  const inner = objectsAt(json, JOB_PLACES).filter((object) => object !== outer);
  const own = firstOf(job === undefined ? inner : [job, ...inner], STATUS_NAMES, asText);
  if (own !== undefined) return own.trim();
  const word = outer === undefined ? undefined : firstOf([outer], STATUS_NAMES, asText)?.trim();
  if (job === outer || word === undefined) return word;
  // Without a job, a failure is the request's, whatever the word. A failed read must never count as a failed job: that
  // job would be given up or paid for again.
  const isEnvelope = ENVELOPE_WORDS.has(word.toLowerCase()) || (job === undefined && phaseOf(word, false) === 'failed');
  return isEnvelope ? undefined : word;
}

/** Interprets a status. Only known words are final. A result without a status means a completed job. */
function phaseOf(status: string | undefined, hasResult: boolean): JobReading['phase'] {
  if (status === undefined) return hasResult ? 'completed' : 'running';
  const word = status.toLowerCase();
  return COMPLETED.has(word) ? 'completed' : FAILED.has(word) ? 'failed' : 'running';
}

function readResult(json: unknown, job: JsonObject | undefined, results: ResultNames): string | undefined {
  const objects = [...(job === undefined ? [] : [job]), ...objectsAt(json, JOB_PLACES)];
  const inside = objects.flatMap((object) => objectsAt(object, ['result', 'output', 'results']));
  return (
    firstOf([...inside, ...objects], results.names, asText) ??
    firstOf(inside, results.inResult, asText) ??
    firstOf(objects, ['result', 'output'], (value) =>
      /^https?:/i.test(asText(value) ?? '') ? asText(value) : undefined,
    )
  );
}

/**
 * The link under a member that the user named, by its path in the answer or on the job. A link that was sent is never a
 * result, even if named.
 */
function readNamed(json: unknown, { named = [] }: ResultNames, base: string, sent: SentLinks): string | undefined {
  if (named.length === 0) return undefined;
  const objects = [json, ...objectsAt(json, JOB_PLACES)];
  for (const path of named) {
    for (const object of objects) {
      const value = valueAt(object, path);
      const link = asLink(value, base);
      if (link !== undefined && !sent.isSent(String(value), link)) return link;
    }
  }
  return undefined;
}

/** A word such as "none" does not count as a relative link. */
function asLink(value: unknown, base: string): string | undefined {
  return /^(https?:|\/)/i.test(asText(value) ?? '') ? resolved(asText(value), base) : undefined;
}

/**
 * The link under an input's name that was not sent. None if the other input was replaced as well: a service that gives
 * inputs links of its own may do so with each of them, and an input must never pass for the result.
 */
function readUnsent(
  json: unknown,
  results: ResultNames,
  base: string,
  spec: RowSpec | undefined,
  sent: SentLinks,
): string | undefined {
  const objects = objectsAt(json, JOB_PLACES);
  const asUnsent = (value: unknown): string | undefined => {
    const link = asLink(value, base);
    return link !== undefined && sent.isOther(link) ? link : undefined;
  };
  const isReplaced = spec?.audio !== undefined && firstOf(objects, results.audioInput ?? [], asUnsent) !== undefined;
  return isReplaced ? undefined : firstOf(objects, results.asInput ?? [], asUnsent);
}

function readError(json: unknown, job: JsonObject | undefined): string | undefined {
  const objects = job === undefined ? objectsAt(json, JOB_PLACES) : [job, ...objectsAt(json, ['record', 'data'])];
  const nested = objects.flatMap((object) => objectsAt(object, ['error']));
  const words = firstOf([...nested, ...objects], ERROR_NAMES, asText);
  const code = firstOf([...nested, ...objects], ['code', 'errorCode', 'error_code'], asId);
  if (words === undefined) return code;
  return code === undefined || words.includes(code) ? words : `${words} (${code})`;
}

/** A relative link means the API's own host. An unreadable link stays as it is; the download refuses it. */
function resolved(link: string | undefined, base: string): string | undefined {
  return orElse(() => (link === undefined ? undefined : new URL(link, `${base}/`).href), link);
}

/** Reads an input that a job repeats. `names`: its possible names. */
export function readInput(job: JsonObject, names: readonly string[]): string | undefined {
  return firstOf([job, ...objectsAt(job, ['input', 'inputs', 'request', 'params'])], names, asText);
}

/**
 * Returns the list of objects at the first place that has a list; undefined if none has, or if an item is no object.
 */
export function readList(json: unknown, places: readonly string[]): readonly JsonObject[] | undefined {
  for (const place of places) {
    const path = place === '' ? [] : place.split('.');
    const value = path.reduce<unknown>((at, name) => member(asObject(at), name), json);
    if (Array.isArray(value)) {
      const items: readonly unknown[] = value;
      const objects = items.map(asObject);
      return objects.includes(undefined) ? undefined : (objects as readonly JsonObject[]);
    }
  }
  return undefined;
}

/** Recognises the links that a row sent, including those anywhere in its `api.…` fields. */
class SentLinks {
  readonly #texts: ReadonlySet<string>;
  readonly #places: ReadonlySet<string>;

  constructor({ video, audio, extra }: Pick<RowSpec, 'video' | 'audio' | 'extra'>) {
    this.#texts = new Set([video, audio, extra].flatMap(textsIn));
    this.#places = new Set([...this.#texts].flatMap((text) => placeOf(text) ?? contentOf(text) ?? []));
  }

  /**
   * True for a text that was sent verbatim, and for a link to the same place as one that was sent. `link` is the text
   * resolved as a link.
   */
  isSent(text: string, link: string): boolean {
    return this.#texts.has(text) || this.#leadsToSent(link);
  }

  /** True for a link to a different place than every link sent. A text that is not a link does not count. */
  isOther(link: string): boolean {
    return placeOf(link) !== undefined && this.#places.size > 0 && !this.#leadsToSent(link);
  }

  /** A link to local media is not recorded, so it is recognised by the content's hash in its path. */
  #leadsToSent(link: string): boolean {
    return this.#places.has(placeOf(link) ?? '') || this.#places.has(cellOfLink(link) ?? '');
  }
}

/** A cell of local media as it is; undefined for any other text. */
function contentOf(text: string): string | undefined {
  return contentOfCell(text) === undefined ? undefined : text;
}

function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

/**
 * Host and path of a link; undefined if it is no http(s) link. The query is left out: a service may sign an input's
 * link anew. So are the scheme and the spelling of the path, which servers change on the way.
 */
function placeOf(link: string): string | undefined {
  if (!URL.canParse(link)) return undefined;
  const { protocol, host, pathname } = new URL(link);
  if (protocol !== 'https:' && protocol !== 'http:') return undefined;
  const path = pathname.endsWith('/') ? pathname.slice(0, -1) : pathname;
  return host + orElse(() => decodeURIComponent(path), path);
}
