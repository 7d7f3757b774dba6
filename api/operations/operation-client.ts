import type { Dialect } from '../../contract/dialects.ts';
import {
  COLUMN_CELLS,
  factsOf,
  type JobOperation,
  type JsonValue,
  type ListedOperation,
  type LocalFile,
  type BuiltInOperation,
  type OperationIn,
  type SpecColumn,
} from '../../contract/row-kinds.ts';
import { get, type FreeRequest } from '../free-request.ts';
import { readJobId, type ResultNames } from '../read-job.ts';
import type { PaidRequest, Transcript } from '../speech-api.ts';

/** The content of a 2xx JSON answer. */
export type Reply =
  | { readonly type: 'job'; readonly jobId: string }
  | { readonly type: 'link'; readonly url: string }
  | { readonly type: 'transcript'; readonly transcript: Transcript }
  | { readonly type: 'voice'; readonly voiceId: string };

/** Builds the JSON body of a request. */
type Body = (request: PaidRequest) => Readonly<Record<string, JsonValue>>;

/** A dialect's client for each paid operation; null if it lacks the operation. */
export type OperationClients<D extends Dialect> = {
  readonly [O in BuiltInOperation]: O extends OperationIn<D>
    ? O extends ListedOperation
      ? ListedClient
      : O extends JobOperation
        ? JobClient
        : DirectClient
    : null;
};

/** One paid operation: how to request it and read its answer. */
export interface OperationClient {
  /** Path of the `POST`, relative to where the paths of the dialect begin. */
  readonly path: string;
  /** True if the answer may be the media itself. */
  readonly answersMedia: boolean;
  /** True if the answer names a job. */
  readonly answersJob: boolean;
  /** The JSON body. Throws {@link MissingInput} if the row lacks a required input. */
  readonly body: Body;
  /**
   * Files to upload, in form parts with this name. The body is then a form (`multipart/form-data`), with a part for
   * each member of `body`. Default: none.
   */
  readonly upload?: { readonly part: string; readonly files: (request: PaidRequest) => readonly LocalFile[] };
  /** Reads the body of a 2xx answer; undefined if it does not contain what was paid for. */
  reply(json: unknown): Reply | undefined;
}

/** A paid operation that answers with its result. */
export interface DirectClient extends OperationClient {
  readonly answersJob: false;
}

/** A paid operation whose job is read by its id. */
export interface JobClient extends OperationClient {
  readonly answersMedia: false;
  readonly answersJob: true;
  readonly results: ResultNames;
  readonly read: (jobId: string) => FreeRequest;
}

/** A paid operation whose jobs the API lists. */
export interface ListedClient extends JobClient {
  /** Reads a page, from 1, of at most 50 jobs. */
  readonly list: (page: number, limit: number) => FreeRequest;
}

/**
 * Returns the client of a paid operation whose answer names a job, which is read at `path/{id}`. `results`: where a
 * completed job has its result link.
 */
export function jobAt(path: string, body: Body, results: ResultNames): JobClient {
  return {
    path,
    answersMedia: false,
    answersJob: true,
    body,
    reply(json) {
      const jobId = readJobId(json);
      return jobId === undefined ? undefined : { type: 'job', jobId };
    },
    results,
    read: (jobId) => get(`${path}/${encodeURIComponent(jobId)}`, {}, `${path}/{id}`),
  };
}

/** Returns the request for a page of the list of jobs at this path. */
export function listAt(path: string): ListedClient['list'] {
  return (page, limit) => get(path, { page: String(page), limit: String(limit) });
}

/** A paid request that cannot be built. Nothing was sent. */
class MissingInput extends Error {
  constructor(operation: string, column: SpecColumn) {
    super(`${operation} needs ${column}`);
    this.name = 'MissingInput';
  }
}

/** Returns the value; throws {@link MissingInput} if there is none. */
export function need<T>(value: T | undefined, { operation }: PaidRequest, column: SpecColumn): T {
  if (value === undefined) throw new MissingInput(operation, column);
  return value;
}

/**
 * Builds a request body, mapping columns to request fields. Files are not included. Fields without a value are left
 * out, so the API's defaults apply. `api.` columns come last, unchanged.
 *
 * @param written converters for columns that are not sent unchanged.
 */
export function bodyOf(
  fields: Partial<Readonly<Record<SpecColumn, string>>>,
  written: { readonly [C in SpecColumn]?: (value: string) => JsonValue } = {},
): Body {
  const columns = (Object.entries(fields) as [SpecColumn, string][]).filter(
    ([column]) => COLUMN_CELLS[column] !== 'files',
  );
  return (request) => {
    const { spec, operation } = request;
    const { needs } = factsOf(operation);
    const body: Record<string, JsonValue> = {};
    for (const [column, field] of columns) {
      const value = spec[column];
      if (value === undefined && needs.includes(column)) throw new MissingInput(operation, column);
      if (value !== undefined && typeof value !== 'object') body[field] = written[column]?.(String(value)) ?? value;
    }
    return { ...body, ...spec.extra };
  };
}
