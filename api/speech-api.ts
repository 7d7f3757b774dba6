import type { Readable } from 'node:stream';
import type { Dialect } from '../contract/dialects.ts';
import type { Failure } from '../contract/failures.ts';
import type { JobOperation, ListedOperation, LocalFile, Operation, RowSpec } from '../contract/row-kinds.ts';

/** The interface of the API's client, `SpeechApi`, with its requests and results. `create-api.ts` implements it. */

/** One paid request, ready to send once. */
export interface PaidRequest {
  readonly operation: Operation;
  /** The row's request. A chain fills in the fresh link to an earlier step's result (the audio of a lip-sync). */
  readonly spec: RowSpec;
  /** Sent as `Idempotency-Key`; never relied on. */
  readonly idempotencyKey: string;
  /**
   * Whether an earlier request had the same key, and may have been accepted; a conflict (409) may then be about that
   * request.
   */
  readonly isRepeat: boolean;
  /**
   * Whether a 503 with the API's own error body means "not accepted" (an assumption:
   * docs/decisions/one-charge.md). A batch setting.
   */
  readonly trust503: boolean;
}

/** The facts in an answer to a paid request besides its result. */
export interface AnswerFacts {
  /** The charge that the API reports. */
  readonly credits?: number;
  readonly requestId?: string;
}

/** Facts about a media body before it is read. A paid request's result also has those of its answer. */
export interface BodyInfo extends AnswerFacts {
  /** Lower case, without parameters; empty if not given. */
  readonly contentType: string;
  /** From `Content-Length`, if given. */
  readonly contentLength?: number;
}

/** A media body: complete if small (up to 1 MiB), otherwise a stream; also a stream if it is still being generated. */
export type MediaBody = Buffer | Readable;

/**
 * Stores a media body. It must consume or destroy a stream. It throws if the body is incomplete or not media, and then
 * leaves nothing at the final place.
 */
export type Receive<T> = (body: MediaBody, info: BodyInfo) => Promise<T>;

/** A local file, opened for sending. */
export interface FileContent {
  /** The content from its first byte. Fails if the file has changed. */
  read(): AsyncIterable<Uint8Array>;
  close(): Promise<void>;
}

/**
 * Opens a local file. Throws if it is missing or has changed since its row was checked; throws the plain system error
 * if the trouble may be temporary.
 */
export type OpenFile = (file: LocalFile) => Promise<FileContent>;

/** A transcription from the API, read tolerantly. */
export interface Transcript {
  readonly text: string;
  /** The language that was spoken, as the API calls it, if it says so. */
  readonly language?: string;
  /** Timed segments in seconds; empty if the API gave none with usable times. */
  readonly segments: readonly { readonly start: number; readonly end: number; readonly text: string }[];
}

/** What is known after a paid request was sent. See "verdicts" in docs/decisions/one-charge.md. */
export type Verdict<T> =
  | (AnswerFacts & { readonly verdict: 'accepted'; readonly jobId: string })
  | (AnswerFacts & {
      readonly verdict: 'done';
      /** The received body, if the answer was media. */
      readonly media?: T;
      readonly transcript?: Transcript;
      /** The id of the voice that was made. */
      readonly voiceId?: string;
    })
  | { readonly verdict: 'not-accepted' | 'rejected' | 'unknown'; readonly failure: Failure };

/** Result of one poll of a job. */
export interface JobReading {
  readonly id: string;
  /** `running` for every status that is not known to be final, including unknown words. */
  readonly phase: 'running' | 'completed' | 'failed';
  /** The API's own word. */
  readonly status: string;
  /** Short-lived link to a completed job's result, if any. Never logged, never recorded. */
  readonly resultUrl?: string;
  /**
   * The members of the answer and their values, cut and safe to record; only for a completed job that was read by its
   * id and has no link.
   */
  readonly members?: string;
  /** The API's message about a failed job. */
  readonly error?: string;
  readonly credits?: number;
}

/** A job in the API's list. Inputs are present only if the service repeats them. */
export interface ListedJob extends JobReading {
  readonly createdAtMs?: number;
  readonly videoUrl?: string;
  readonly audioUrl?: string;
}

/** A page of the API's list of jobs. */
export interface JobPage {
  readonly jobs: readonly ListedJob[];
  readonly hasMore: boolean;
}

/** The account that a token belongs to. */
export interface Profile {
  readonly userId: string;
  readonly tier?: string;
  /** API credits left (`api_quota_remaining`), which API calls consume. */
  readonly quotaRemaining?: number;
  /** The website balance. */
  readonly credits?: number;
  /**
   * The account's webhook address; null if it has none. Absent if the API does not show it. It may hold a secret: never
   * log it.
   */
  readonly webhookUrl?: string | null;
  /** All members of the answer as they came, unchecked. */
  readonly members: Readonly<Record<string, unknown>>;
  /** The server's clock, from the `Date` header, in ms. */
  readonly serverTimeMs?: number;
}

/** A voice in the API's list. */
export interface Voice {
  readonly id: string;
  readonly name: string;
  readonly provider: string;
  /** The engines that it works with; absent if the service does not say. */
  readonly modelIds?: readonly string[];
  /** When it was created, ms since 1970, if the service says so. */
  readonly createdAtMs?: number;
  /** True if the service says, in words that we know, that the voice cannot be used yet. */
  readonly isInTraining?: boolean;
}

/** Options for listing voices. */
export interface VoiceFilter {
  /** Only voices whose name or description contains this text, if the service supports it. Default: all. */
  readonly search?: string | undefined;
  /** Only voices of this provider. Default: all. */
  readonly provider?: string | undefined;
  /**
   * Called at the end for each filter that the service ignored and that was therefore applied locally, by name, id and
   * provider.
   */
  readonly onIgnored?: (filter: 'search' | 'provider') => void;
  /** Wraps each request to the API so that it can be rate-limited. By default requests go out at once. */
  readonly inTurn?: <T>(read: () => Promise<T>) => Promise<T>;
}

/**
 * The service over HTTP. It never retries a request to the API, follows redirects of result links only, and sends the
 * token only to the origin of its base URL.
 */
export interface SpeechApi {
  /** Origin and path without a trailing slash, such as `https://host/api/open/v1`. */
  readonly baseUrl: string;
  /** Which of the API's sets of paths its requests use. */
  readonly dialect: Dialect;
  /** The same client in another dialect: the same connections, limits and token. */
  speaking(dialect: Dialect): SpeechApi;
  /** The proxy through which it is reached, as `host:port`. */
  readonly proxy?: string;
  /**
   * Sends one paid request once. Never throws: every result is a verdict. `receive` stores the body if the answer is
   * media (synchronous speech). `openFile` opens the files that the request sends along.
   */
  send<T>(
    request: PaidRequest,
    options: { readonly receive?: Receive<T>; readonly openFile?: OpenFile; readonly signal?: AbortSignal },
  ): Promise<Verdict<T>>;
  /**
   * Reads a job by id. `spec` is its row's request, used to tell a result under an input's name from that input;
   * without it, such a link counts as the input. Throws {@link ApiError}.
   */
  readJob(operation: JobOperation, jobId: string, signal?: AbortSignal, spec?: RowSpec): Promise<JobReading>;
  /**
   * Reads a page (from 1) of the account's jobs of an operation, newest first if the service sorts. Throws
   * {@link ApiError}.
   */
  listJobs(operation: ListedOperation, page: number, limit: number, signal?: AbortSignal): Promise<JobPage>;
  /** Reads the account of the token. Throws {@link ApiError}. */
  readProfile(signal?: AbortSignal): Promise<Profile>;
  /**
   * Asks the API to change fields of the profile; free. It may ignore some of them, which only
   * {@link SpeechApi.readProfile} shows. Throws {@link ApiError}: `BadRequest` if it refuses, `ServiceDown` if the
   * outcome is unknown.
   */
  updateProfile(fields: Readonly<Record<string, unknown>>, signal?: AbortSignal): Promise<void>;
  /** Reads the API's description of itself. Throws {@link ApiError}; `NoDocument` for one that cannot be read. */
  checkSchema(): Promise<SchemaCheck>;
  /**
   * The voices that the account can use: all that stay in the list while it is read, each once. Throws {@link
   * ApiError}, also at the end of a list of which the service shows only a part.
   */
  listVoices(filter?: VoiceFilter, signal?: AbortSignal): AsyncIterable<Voice>;
  /**
   * Asks the API to delete a voice; free. `missing`: there is no voice with this id. Throws {@link ApiError}:
   * `BadRequest` if it refuses, `ServiceDown` if the outcome is unknown.
   */
  deleteVoice(voiceId: string, signal?: AbortSignal): Promise<'deleted' | 'missing'>;
  /**
   * Downloads a result link. Sends the token only if the link has the API's own origin. Follows up to five redirects,
   * but never from a public API or host into a private network. Throws {@link ApiError} (class `ResultGone`) for a dead
   * or forbidden link, a cut body or a wrong length.
   */
  download<T>(url: string, receive: Receive<T>, signal?: AbortSignal): Promise<T>;
  /** Closes idle connections. */
  close(): void;
}

/** Something that the client needs but the document lacks. */
export type SchemaGap = {
  readonly endpoint: string;
  /** True if it is needed only on explicit request: for rows of its kind, or by a command. */
  readonly isRare: boolean;
} & (
  | { readonly type: 'endpoint' }
  /** The client sends it, but the document neither lists it nor allows additional members. */
  | { readonly type: 'field'; readonly field: string }
  /** The document requires it, but the client does not send it. */
  | { readonly type: 'required'; readonly field: string }
);

/** The API's OpenAPI document, compared with the client's calls. */
export interface SchemaCheck {
  readonly lacks: readonly SchemaGap[];
  /** Endpoints that the client does not use. */
  readonly unused: readonly string[];
  /** OpenAPI version, such as `3.1.0`. */
  readonly form: string;
  readonly title?: string;
  readonly version?: string;
  /** Digests of the parts of each endpoint (`parameters`, `request`, `answer 200` …), by method and path. */
  readonly endpoints: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

/** Whether a failed read may succeed later: false if the API refused the token or the request itself. */
export function isRetryable({ class: name }: Failure): boolean {
  return name !== 'BadToken' && name !== 'BadRequest';
}

/** A free request (a read or a download) that failed. */
export class ApiError extends Error {
  readonly failure: Failure;

  constructor(failure: Failure, options?: ErrorOptions) {
    super(failure.message, options);
    this.name = 'ApiError';
    this.failure = failure;
  }
}
