import type { BatchFigures } from '../contract/batch-figures.ts';
import type { Outcome, RowState } from '../contract/outcomes.ts';

/**
 * The page's HTTP API: what the server answers, as JSON. The server makes each answer from a view of `client/`, and
 * `json.ts` lets the compiler compare the two; `page/browser/` imports only this file. Times are in ISO 8601, money in
 * credits.
 */

/**
 * The header with the CSRF token of each POST. A script of another origin cannot set it without a CORS preflight, which
 * the server never allows.
 */
export const CSRF_HEADER = 'x-voxbatch-csrf';
/** The URL parameter with the same token, since media players and event streams send no headers of ours. */
export const TOKEN_PARAMETER = 'token';
/** The name of the meta element that has the token, in the HTML of the load that redeems the ticket. */
export const TOKEN_META = 'voxbatch-token';

/** `/api/session`: answered if the browser has a session. */
export interface SessionAnswer {
  readonly version: string;
}

/** `/api/batches`: one batch of the list. */
export interface BatchLine extends BatchFigures {
  /** Chosen rows that have ended, with or without a result. */
  readonly ended: number;
}

/** An event `status` of `/api/stream`. */
export interface StatusAnswer extends BatchLine {
  readonly states: Readonly<Record<RowState, number>>;
  readonly rowsPerSecond: number;
  /** Null if unknown. */
  readonly secondsLeft: number | null;
  /** The job that has been at the API longest. */
  readonly oldest: { readonly id: string; readonly step: string; readonly since: string } | null;
  /** Why the failure threshold halted it. */
  readonly halted: string | null;
  /** When the current work began: at the first request, or when a redrive reopened the batch. */
  readonly since: string | null;
  readonly manifest: string;
  /** Paid requests a second (null: no limit), paid requests in flight, and jobs in flight. */
  readonly limits: { readonly rate: number | null; readonly submits: number; readonly window: number };
  /** Why it does not go on and what to do, as `voxbatch status` prints it. */
  readonly notes: readonly string[];
}

/** `/api/messages`: the messages of rows. Messages that differ only in a job, time or price count as one. */
export interface MessagesAnswer {
  /** The most frequent first. `pattern`: the value of the filter `message` that finds its rows. */
  readonly messages: readonly { readonly message: string; readonly pattern: string; readonly rows: number }[];
  /** Rows with other messages. */
  readonly others: number;
}

/** A voice that rows use. */
export interface VoiceLine {
  /** As in the rows, mostly the voice's id. */
  readonly voice: string;
  /** From the manifest, the cast or the row that made the voice; null if none of them names it. */
  readonly name: string | null;
  readonly rows: number;
}

/** `/api/voices` */
export interface VoicesAnswer {
  /** The most used first. */
  readonly voices: readonly VoiceLine[];
  /** Whether `voices` is complete: very many are cut. */
  readonly areAll: boolean;
}

/** A row in a list. */
export interface RowLine {
  /** Its number in the batch, from 1. */
  readonly row: number;
  readonly id: string;
  /** The line of the manifest. */
  readonly line: number;
  readonly kind: string;
  readonly outcome: Outcome | null;
  readonly state: RowState | null;
  readonly take: number;
  /** The take whose result is used: earlier than `take` if the user went back to it. */
  readonly takeInUse: number;
  readonly voice: string | null;
  readonly text: string;
  /** The length of its result. */
  readonly seconds: number | null;
  readonly media: 'audio' | 'video' | 'text' | 'other' | null;
  readonly quoted: number | null;
  readonly failure: { readonly class: string; readonly message: string } | null;
  /** A warning about its result, such as that it is longer than `max_seconds`. */
  readonly oddity: string | null;
  readonly endedAt: string | null;
}

/** Rows on a page: more than a screen shows, and few enough to send at once. */
export const ROWS_PER_PAGE = 50;

/** `/api/rows`: a page of rows. */
export interface RowsAnswer {
  /** May be short or empty although more rows match: the search goes on from `next`. */
  readonly rows: readonly RowLine[];
  /** The cursor of the next page; null on the last page. */
  readonly next: {
    readonly row: number;
    readonly id: string;
    /** ms since 1970. */
    readonly endedAt: number;
    /** The value that rows are ordered by, if no index has that order. */
    readonly value: number | null;
  } | null;
}

/** `/api/row`: everything about one row, as `voxbatch explain` shows it. */
export interface RowAnswer {
  readonly row: number;
  readonly id: string;
  readonly line: number;
  readonly kind: string;
  readonly state: RowState | null;
  readonly outcome: Outcome | null;
  readonly voice: string | null;
  readonly input: Readonly<Record<string, string>>;
  readonly takes: readonly {
    readonly take: number;
    readonly reason: string;
    readonly fromStep: string;
    readonly madeAt: string;
    readonly before: {
      readonly outcome: Outcome | null;
      readonly file: { readonly bytes: number; readonly sha256: string } | null;
    };
    readonly changes: readonly { readonly column: string; readonly from: string; readonly to: string }[];
  }[];
  /** The take whose result is used; the current take while there is no result. */
  readonly takeInUse: number;
  /** `path`: null if the file was removed from the store. */
  readonly takeResults: readonly { readonly take: number; readonly inUse: boolean; readonly path: string | null }[];
  readonly attempts: readonly {
    readonly step: string;
    readonly take: number;
    readonly attempt: number;
    readonly verdict: string;
    readonly job_id: string | null;
    readonly request_id: string | null;
    readonly quoted: number | null;
    readonly charged: number | null;
    readonly intent_at: string;
    readonly finished_at: string | null;
    readonly failure: { readonly errorClass: string; readonly message: string } | null;
  }[];
  readonly failure: { readonly errorClass: string; readonly message: string } | null;
  readonly oddity: string | null;
  readonly text: string | null;
  readonly files: readonly { readonly name: string; readonly bytes: number }[];
  /** Set if the stored file is lost. `is`: what is wrong with it. */
  readonly storedFileLost: { readonly is: string } | null;
  readonly endedAt: string | null;
  /** The type of its result; null if it has none. */
  readonly media: RowLine['media'];
  readonly seconds: number | null;
  /** What to do about it, as `voxbatch explain` prints it. */
  readonly next: string;
  /** The decisions that are open to the user. */
  readonly ways: readonly SettleWay[];
}

/** A possible decision about a row. `way` is a flag of `voxbatch reconcile` or `voxbatch redrive`. */
export interface SettleWay {
  readonly way: 'adopt' | 'resubmit' | 'accept' | 'not-charged';
  /** The row, a part of it, or an earlier take of it, as the flag names it. */
  readonly row: string;
  /** The earlier take; null for the current one. */
  readonly take: number | null;
  /** What the lost request creates; for `adopt`, the user names its id. */
  readonly makes: 'job' | 'voice' | null;
  /** Credits that may have been charged; null if none, or if the amount is not known. */
  readonly mayHaveCost: number | null;
  /** The steps that the row then still needs; each is charged. */
  readonly then: readonly string[];
}

/** `/api/unknown`: the unknown rows of one batch. */
export interface UnknownAnswer {
  readonly batch: string;
  /** How many there are. */
  readonly rows: number;
  /** The first of them. */
  readonly shown: readonly RowAnswer[];
}

/** `/api/schedules`: one schedule, from the ledger. */
export interface ScheduleAnswer {
  readonly schedule: string;
  readonly times: string;
  readonly timezone: string;
  /** Whether the ledger has it as paused. Temporal may differ: see {@link ScheduleStatesAnswer}. */
  readonly paused: boolean;
  /** Why it was paused or resumed. */
  readonly note: string;
  /** Its monthly budget. */
  readonly month: { readonly month: string; readonly credits: number; readonly left: number } | null;
  /** Its latest firings, the newest first. */
  readonly occurrences: readonly {
    readonly at: string;
    readonly batch: string;
    readonly state: string;
    readonly exitCode: number | null;
    readonly charged: number | null;
    readonly reason: string | null;
  }[];
}

/** `/api/schedule-states`: the schedules in Temporal, which alone knows when they fire next. */
export interface ScheduleStatesAnswer {
  /** Why Temporal cannot be asked; null if it answered. */
  readonly problem: string | null;
  readonly states: readonly {
    readonly schedule: string;
    readonly paused: boolean;
    readonly note: string;
    /** Null if it never fires again, or is paused. */
    readonly next: string | null;
    /** Whether Temporal no longer has it. */
    readonly lost: boolean;
  }[];
}

/** What a redrive would do and cost, as in `voxbatch redrive --dry-run --json`. Counts are of rows. */
export interface RedrivePrice {
  readonly rows: number;
  /** Rows that are paid for again. */
  readonly paying: number;
  readonly credits: number;
  /** Whether `credits` is an estimate. */
  readonly estimated: boolean;
  /** Rows whose price is not known; `credits` lacks them. */
  readonly unpriced: number;
  /** Rows whose job or download is resumed, free. */
  readonly waits: number;
  /** Rows whose stored result is accepted as it is. */
  readonly accepts: number;
  /** Those of `accepts` that go back to an earlier take. */
  readonly returns: number;
  /** Rows that cannot be sent again: not ended, with a result, or without an unfit result to accept. */
  readonly leftOut: { readonly open: number; readonly hasResult: number; readonly noUnfit: number };
  /** Rows that have a result, which is replaced. */
  readonly replaced: number;
  readonly mayBeChargedTwice: number;
  readonly budgetLeft: number | null;
  /** Why it would be refused; null if it is allowed. */
  readonly refusal: string | null;
}

/** What a redrive would do. Posted back with the signature, it is done if nothing has changed since. */
export interface RedriveAnswer {
  readonly type: 'price';
  readonly price: RedrivePrice;
  readonly signature: string;
}

/**
 * What a decision means, with a price for `resubmit` and `accept`. Posted back with the signature, it is done if
 * nothing has changed since.
 */
export interface SettleAnswer {
  readonly type: 'decision';
  readonly way: SettleWay;
  readonly price: RedrivePrice | null;
  readonly signature: string;
}

/** The action was done. `lines`: what the command printed. */
export interface ActionAnswer {
  readonly type: 'done';
  readonly lines: readonly string[];
}

/** The body of an error status, and an event `trouble` of `/api/stream`. */
export interface ErrorAnswer {
  readonly message: string;
}
