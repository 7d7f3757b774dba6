import type { JsonValue, RowSpec } from '../../contract/row-kinds.ts';
import { readJobId, type ResultNames } from '../read-job.ts';
import type { PaidRequest, Transcript } from '../speech-api.ts';

/** What a 2xx JSON answer contained. */
type Reply =
  | { readonly type: 'job'; readonly jobId: string }
  | { readonly type: 'link'; readonly url: string }
  | { readonly type: 'transcript'; readonly transcript: Transcript };

type Body = (request: PaidRequest) => Readonly<Record<string, JsonValue>>;

/** One paid operation: how to request it and read its answer. */
export interface OperationClient {
  /** Path below the base address. */
  readonly path: string;
  /** True if the answer may be the media itself. */
  readonly answersMedia: boolean;
  /** True if the answer names a job. */
  readonly answersJob: boolean;
  /** The JSON body. Throws {@link MissingInput} if the row lacks a required input. */
  readonly body: Body;
  /** Reads the body of a 2xx answer; undefined if it does not contain what was paid for. */
  reply(json: unknown): Reply | undefined;
}

/** A paid operation that answers with its result. */
export interface DirectClient extends OperationClient {
  readonly answersJob: false;
}

/** A paid operation whose job is read at `path/{id}` and, if the API lists such jobs, listed at `path`. */
export interface JobClient extends OperationClient {
  readonly answersMedia: false;
  readonly answersJob: true;
  readonly results: ResultNames;
}

/** A paid operation whose answer names a job. `results`: where a completed job names its result. */
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
  };
}

/** A paid request that cannot be built. Nothing was sent. */
class MissingInput extends Error {
  constructor(operation: string, input: string) {
    super(`${operation} needs ${input}`);
    this.name = 'MissingInput';
  }
}

/** Returns the value; throws {@link MissingInput} if there is none. */
export function need<T>(value: T | undefined, operation: string, input: string): T {
  if (value === undefined) throw new MissingInput(operation, input);
  return value;
}

/**
 * Builds a request body. Fields without a value are left out, so the API's defaults apply. `api.` columns come last,
 * unchanged.
 */
export function bodyOf(
  fields: Readonly<Record<string, JsonValue | undefined>>,
  { extra }: Pick<RowSpec, 'extra'>,
): Readonly<Record<string, JsonValue>> {
  const filled = Object.entries(fields).filter((entry): entry is [string, JsonValue] => entry[1] !== undefined);
  return { ...Object.fromEntries(filled), ...extra };
}
