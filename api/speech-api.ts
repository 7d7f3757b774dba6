import type { Readable } from 'node:stream';
import type { Failure } from '../contract/failures.ts';
import type { JobOperation, ListedOperation, Operation, RowSpec } from '../contract/row-kinds.ts';

/** One paid request, ready to be sent once. */
export interface PaidRequest {
  readonly operation: Operation;
  /** What the row asks for. A chain puts the fresh link of an earlier step's result in its place (the audio of a lip-sync). */
  readonly spec: RowSpec;
  /** Sent as `Idempotency-Key`; never relied on. */
  readonly idempotencyKey: string;
  /** Whether an earlier request had the same key: then a conflict (409) may be about that one. */
  readonly isRepeat: boolean;
  /** Whether a 503 with the API's own error body means "not taken" (an assumption; see one-charge.md). A setting of the batch. */
  readonly trust503: boolean;
}

/** What an answer to a paid request says beside its result. */
export interface AnswerFacts {
  /** What the API says it charged. */
  readonly credits?: number;
  readonly requestId?: string;
}

/** Facts about a media body before it is read. Those of an answer are there if it is the result of a paid request. */
export interface BodyInfo extends AnswerFacts {
  /** Lower case, without parameters; empty if the answer names none. */
  readonly contentType: string;
  /** From `Content-Length`, where the answer has it. */
  readonly contentLength?: number;
}

/** A media body: a small one (1 MiB at most) whole, any other, or one that is still being made, as a stream. */
export type MediaBody = Buffer | Readable;

/**
 * Takes a media body to its place. It must consume or destroy a stream, and throws
 * where the body is not whole or not media; then nothing may be left at the final place.
 */
export type Receive<T> = (body: MediaBody, info: BodyInfo) => Promise<T>;

/** A transcription as the API gave it, read tolerantly. */
export interface Transcript {
  readonly text: string;
  /** Seconds of audio, where given. */
  readonly durationSeconds?: number;
  /** Timed segments in seconds; empty where the API gave none with usable times. */
  readonly segments: readonly { readonly start: number; readonly end: number; readonly text: string }[];
}

/**
 * What is known after a paid request. See section "verdicts" of docs/decisions/one-charge.md.
 */
export type Verdict<T> =
  | (AnswerFacts & { readonly verdict: 'accepted'; readonly jobId: string })
  | (AnswerFacts & {
      readonly verdict: 'done';
      /** The received body, for an answer that was media. */
      readonly media?: T;
      readonly transcript?: Transcript;
    })
  | { readonly verdict: 'not-accepted' | 'rejected' | 'unknown'; readonly failure: Failure };

/** What one poll of a job read. */
export interface JobReading {
  readonly id: string;
  /** `running` for every status that is not known to be final, unknown words included. */
  readonly phase: 'running' | 'completed' | 'failed';
  /** The API's own word. */
  readonly status: string;
  /** Short-lived link to the result, on a completed job that has one. Never logged, never recorded. */
  readonly resultUrl?: string;
  /** The API's words on a failed job. */
  readonly error?: string;
  readonly credits?: number;
}

/** A job in a list of the API. Inputs are given only by services that echo them. */
export interface ListedJob extends JobReading {
  readonly createdAtMs?: number;
  readonly videoUrl?: string;
  readonly audioUrl?: string;
}

export interface JobPage {
  readonly jobs: readonly ListedJob[];
  readonly hasMore: boolean;
}

export interface Profile {
  readonly userId: string;
  readonly tier?: string;
  /** API credits left (`api_quota_remaining`): the balance that API calls consume. */
  readonly quotaRemaining?: number;
  /** The ordinary website balance. */
  readonly credits?: number;
  /** The server's clock, from the `Date` header, in ms. */
  readonly serverTimeMs?: number;
}

export interface Voice {
  readonly id: string;
  readonly name: string;
  readonly provider: string;
}

/**
 * The service over HTTP. It never retries a request to the API, follows redirects of result links only, and sends the token to the origin of its base
 * URL and nowhere else.
 */
export interface SpeechApi {
  /** Origin and path, e.g. `https://host/api/open/v1`, without a trailing slash. */
  readonly baseUrl: string;
  /**
   * Sends one paid request, once. Never throws: whatever happens is a verdict. `receive` takes the body of an answer
   * that is media (synchronous speech).
   */
  send<T>(
    request: PaidRequest,
    options: { readonly receive?: Receive<T>; readonly signal?: AbortSignal },
  ): Promise<Verdict<T>>;
  /** Reads a job by id. Throws {@link ApiError}. */
  readJob(operation: JobOperation, jobId: string, signal?: AbortSignal): Promise<JobReading>;
  /** Reads a page (from 1) of the account's jobs of an operation, newest first where the service sorts. Throws {@link ApiError}. */
  listJobs(operation: ListedOperation, page: number, limit: number, signal?: AbortSignal): Promise<JobPage>;
  /** Throws {@link ApiError}. */
  readProfile(signal?: AbortSignal): Promise<Profile>;
  /** All voices the account can use, page by page. Throws {@link ApiError}. */
  listVoices(search?: string, signal?: AbortSignal): AsyncIterable<Voice>;
  /**
   * Downloads a result link, without the token unless the link is of the API's own origin. Follows five redirects, but from a public
   * API or host never into a private network.
   * Throws {@link ApiError} with class `ResultGone` for a dead link, one that may not be followed, a cut body or a wrong length.
   */
  download<T>(url: string, receive: Receive<T>, signal?: AbortSignal): Promise<T>;
  /** Closes idle connections. */
  close(): void;
}

/** A free request (a read or a download) that did not work. */
export class ApiError extends Error {
  readonly failure: Failure;

  constructor(failure: Failure, options?: ErrorOptions) {
    super(failure.message, options);
    this.name = 'ApiError';
    this.failure = failure;
  }
}
