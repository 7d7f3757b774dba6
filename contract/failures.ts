/**
 * The failure classes: every way in which a row can fail. `from`: what causes it; `then`: what voxbatch does. Only
 * `api/classify.ts` maps answers of the API to classes. docs/errors.md is tested against this table.
 */
export const FAILURES = {
  NotSent: {
    from: 'connection refused, DNS or TLS failure before any request byte',
    then: 'sent again as the next attempt, with backoff',
  },
  RateLimited: {
    from: '429',
    then: 'all requests of that kind slow down once, or wait for running jobs if the API limits those; sent again as the next attempt',
  },
  OutOfCredits: {
    from: "402, or a 429 or the error in a 2xx that says so; on the legacy paths also a row's eighth 429 that does not say what it is about",
    then: 'the batch pauses and says what is missing; continue with `voxbatch resume`',
  },
  BadToken: {
    from: '401',
    then: 'the batch pauses; nothing more is sent until the token is right',
  },
  BadRequest: {
    from: '400, 403, 404, 409, 413, 422, or a 2xx whose body is another error',
    then: "the row fails with the API's words and request id; nothing was charged; if it may mean that a voice that voxbatch has just made is not ready, the row waits for that, at most an hour",
  },
  ServiceDown: {
    from: "503 with the API's own error body, or any 5xx on a read",
    then: 'a few more attempts, then the row fails; nothing was charged for the refused requests',
  },
  OutcomeUnknown: {
    from: 'after a paid request was sent: timeout, reset, cut or unreadable answer, another 5xx, or a 409 to a repeated request',
    then: 'if the API has a list, voxbatch looks the request up there; otherwise the row ends `unknown`: it may have been charged, so nothing is sent again until you decide',
  },
  JobFailed: {
    from: "the job's own terminal state",
    then: 'the row fails, and the API may have charged for the job; `--retakes N` retries it, at a new charge',
  },
  InternalError: {
    from: 'an error in voxbatch while it worked on one row',
    then: 'the row fails with its cause, and the batch continues; its next request was not sent',
  },
  NotJoined: {
    from: 'a long text whose parts are all there, but cannot be joined into one file here',
    then: 'the row fails, and its parts are kept; mend the cause, which the message names, then `voxbatch redrive` joins them again, free',
  },
  ResultGone: {
    from: 'an expired or broken link, a wrong length, or a download that was cut off',
    then: 'voxbatch reads the job again for a new link, free; after a few tries the row fails and keeps its job id',
  },
  Unfit: {
    from: 'a complete result that is silent, of another kind than requested, not what `--verify` expects, or not verified because its verification was refused',
    then: 'the row ends `unfit`, and the result is kept under `media/unfit/` (of a row in parts, the part ends so and is kept, and the row ends `failed`); voxbatch pays for another only with `--retakes N`, and keeps the best; `voxbatch redrive --accept` accepts it as it is, free',
  },
  OverBudget: {
    from: 'a request that would exceed `--budget`',
    then: 'the row ends `skipped`, or as its last take ended if only its retake did not fit; this request was not sent; the same `run` with a larger `--budget` goes on with it',
  },
  NotChosen: {
    from: '`--limit` or `--sample`, which chose other rows',
    then: 'the row ends `skipped`; nothing was sent for it; `run` without the flag, or with a larger number, runs it',
  },
  NotCached: {
    from: '`--cache only`, where no equal row has a result',
    then: 'the row ends `skipped`; this request was not sent; to pay for it: `voxbatch tune BATCH --cache on`, then `voxbatch redrive BATCH --where class=NotCached`',
  },
  NoVoice: {
    from: 'a row whose voice another row of the manifest did not make, or whose voice was in training for an hour, as the list or refusals said',
    then: 'the row fails; nothing was charged for it; it goes on by itself once the row that makes its voice has succeeded; after training: `voxbatch redrive BATCH --where class=NoVoice`',
  },
  Overdue: {
    from: 'a job that runs past its deadline',
    then: 'the row ends `overdue` and keeps its job id; `voxbatch redrive --where outcome=overdue` waits for it again, free',
  },
} as const;

/** The kind of a failure, which decides what happens next; `_error_class` in the results. */
export type FailureClass = keyof typeof FAILURES;

/**
 * A failure in the form that is recorded, shown and passed through Temporal. Never carries the user's texts, links or
 * tokens.
 */
export interface Failure {
  readonly class: FailureClass;
  /** One plain sentence that includes the API's words, without tokens and links. At most 500 characters. */
  readonly message: string;
  /**
   * A few words by which failures are counted, without ids and times: `403 from cdn.example`. For a failed job, it is
   * the API's sentence, which may quote the row. At most 120 characters.
   */
  readonly cause?: string;
  /** HTTP status, if there was an answer. */
  readonly status?: number;
  /** The API's own error code; not a closed list. */
  readonly code?: string;
  /** The API's request id, for its support team. */
  readonly requestId?: string;
  /**
   * Only with `RateLimited`. `concurrency`: too many unfinished jobs; only waiting for one to end helps, not slowing
   * down. `vague`: a 429 from the legacy paths whose wording could also mean missing credits.
   */
  readonly limit?: 'concurrency' | 'vague';
  /** How long the API asks to wait (`Retry-After`), in ms from the answer. */
  readonly retryAfterMs?: number;
  /** Store key of a file that proves that the request was made, although the ledger has no answer to it. */
  readonly storedAs?: string;
}

/**
 * Returns a failure, or a count of one, for `--json`: `class` becomes `errorClass`, as in result tables and receipts.
 */
export function viewFailure<F extends { readonly class: string }>(
  failure: F,
): { readonly errorClass: F['class'] } & Omit<F, 'class'> {
  const { class: errorClass, ...rest } = failure;
  return { errorClass, ...rest };
}

/** Returns a failure's cause if it cannot contain a row's text, for logs and metrics; undefined otherwise. */
export function publicCause({ class: name, cause }: Pick<Failure, 'class' | 'cause'>): string | undefined {
  return name === 'JobFailed' ? undefined : cause;
}
