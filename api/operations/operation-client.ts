import type { JsonValue, RowSpec } from '../../contract/row-kinds.ts';
import { readJobId, type ResultNames } from '../read-job.ts';
import type { PaidRequest, Transcript } from '../speech-api.ts';

/** What a 2xx answer with JSON gave. */
type Reply =
  | { readonly type: 'job'; readonly jobId: string }
  | { readonly type: 'link'; readonly url: string }
  | { readonly type: 'transcript'; readonly transcript: Transcript };

type Body = (request: PaidRequest) => Readonly<Record<string, JsonValue>>;

/** One paid operation: how it is asked for, and how its answer is read. */
export interface OperationClient {
  /** Path under the base address. */
  readonly path: string;
  /** True where an answer may be the media itself. */
  readonly answersMedia: boolean;
  /** True where the answer names a job. */
  readonly answersJob: boolean;
  /** The JSON body. Throws a {@link MissingInput} where the row lacks what the operation can't do without. */
  readonly body: Body;
  /** Reads the body of a 2xx answer; undefined where it does not hold what was paid for. */
  reply(json: unknown): Reply | undefined;
}

/** A paid operation that answers with its result. */
export interface DirectClient extends OperationClient {
  readonly answersJob: false;
}

/** A paid operation whose job is read by id, at `path/{id}`, and listed, if it is, at `path`. */
export interface JobClient extends OperationClient {
  readonly answersMedia: false;
  readonly answersJob: true;
  readonly results: ResultNames;
}

/** A paid operation whose answer names a job. `results`: where a job that has ended well says where its result is. */
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

/** A paid request that can't be made. Nothing was sent. */
class MissingInput extends Error {
  constructor(operation: string, input: string) {
    super(`${operation} needs ${input}`);
    this.name = 'MissingInput';
  }
}

/** The given value; throws {@link MissingInput} where there is none. */
export function need<T>(value: T | undefined, operation: string, input: string): T {
  if (value === undefined) throw new MissingInput(operation, input);
  return value;
}

/**
 * A request body: fields without a value are left out, so that the API's own defaults hold; `api.` columns come last
 * and are sent as they are.
 */
export function bodyOf(
  fields: Readonly<Record<string, JsonValue | undefined>>,
  { extra }: Pick<RowSpec, 'extra'>,
): Readonly<Record<string, JsonValue>> {
  const filled = Object.entries(fields).filter((entry): entry is [string, JsonValue] => entry[1] !== undefined);
  return { ...Object.fromEntries(filled), ...extra };
}
