/**
 * The classes of everything that can go wrong with a row. `api/classify.ts` is the one place that assigns them to
 * answers of the API; docs/errors.md is tested against this table.
 */
export const FAILURES = {
  NotSent: {
    from: 'connection refused, DNS or TLS failure before any request byte',
    then: 'sent again as the next attempt, with backoff',
  },
  RateLimited: {
    from: '429',
    then: 'every request of that kind slows down once, or waits for running jobs where those are the limit; sent again as the next attempt',
  },
  OutOfCredits: {
    from: '402, or a 429 that says so',
    then: 'the batch pauses and says what is missing; `voxbatch resume` goes on',
  },
  BadToken: {
    from: '401',
    then: 'the batch pauses; nothing more is sent until the token is right',
  },
  BadRequest: {
    from: '400, 403, 404, 409, 413, 422, or a 2xx whose body is an error',
    then: "the row fails with the API's words and request id; nothing was charged",
  },
  ServiceDown: {
    from: "503 with the API's own error body, or any 5xx on a read",
    then: 'a few more attempts, then the row fails; nothing was charged for the refused requests',
  },
  OutcomeUnknown: {
    from: 'time-out, reset, cut or unreadable answer, another 5xx, or a 409 to a repeated request, after a paid request was sent',
    then: 'looked up where the API has a list; else the row is held as `unknown`: it may have been charged, so nothing is sent again until you say so',
  },
  JobFailed: {
    from: "the job's own terminal state",
    then: 'the row fails, and the API may have charged for the job; `--retakes N` pays again',
  },
  InternalError: {
    from: 'a fault of voxbatch itself with one row',
    then: 'the row fails with its cause, and the batch goes on; nothing was sent for the row',
  },
  ResultGone: {
    from: 'an expired or broken link, a wrong length, or a download that was cut',
    then: 'the job is read again for a fresh link, free; after a few tries the row fails and keeps its job id',
  },
  Unfit: {
    from: 'a result that is whole, but silent, or of another kind than was asked for',
    then: 'kept under `media/unfit/`, the row ends `unfit`; never downloaded or paid again by itself; `voxbatch redrive --accept` takes it as it is, free',
  },
  OverBudget: {
    from: 'a request that would exceed `--budget`',
    then: 'the row ends `skipped`, nothing was sent for it; raise the budget, then run `skipped.csv`',
  },
  Overdue: {
    from: 'a job that outlives its deadline',
    then: 'the row ends `overdue` and keeps its job id; `voxbatch redrive --where outcome=overdue` waits for it again, free',
  },
} as const;

export type FailureClass = keyof typeof FAILURES;

/** One failure as it is recorded, shown and passed through Temporal. Never carries texts of the user, links or tokens. */
export interface Failure {
  readonly class: FailureClass;
  /** One plain sentence, the API's words included, with tokens and links taken out. At most 500 characters. */
  readonly message: string;
  /**
   * The same in a few words that many rows share, to count failures by: `403 from cdn.example`. No ids, no times, none of the
   * service's sentences. At most 120 characters.
   */
  readonly cause?: string;
  /** HTTP status, where there was an answer. */
  readonly status?: number;
  /** The API's own error code, an open-ended string. */
  readonly code?: string;
  /** The API's request id, for its support. */
  readonly requestId?: string;
  /** With `RateLimited`: the limit is one of unfinished jobs, which slowing down does not heal, but waiting for a job does. */
  readonly limit?: 'concurrency';
  /** The API's wish, from `Retry-After`, in milliseconds from the answer. */
  readonly retryAfterMs?: number;
}
