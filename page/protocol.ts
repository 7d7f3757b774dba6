import type { BatchFigures } from '../contract/batch-figures.ts';
import type { Outcome, RowState } from '../contract/outcomes.ts';

/**
 * What the server tells the browser, as JSON. The server makes each from a view of `client/`, and the compiler compares
 * the two (`wire.ts`); the browser knows only this file. Times are in ISO 8601.
 */

/**
 * The header with the token, which goes with each post. Another origin cannot set it without being asked about, which
 * nobody allows.
 */
export const CSRF_HEADER = 'x-voxbatch-csrf';
/** The same token in an address: players and streams send no headers of ours. */
export const TOKEN_IN_ADDRESS = 'token';
/** The name of the meta element in which the token comes, with the load that takes the ticket. */
export const TOKEN_META = 'voxbatch-token';

/** What a tab that was let in is told. */
export interface SessionAnswer {
  readonly version: string;
}

/** A batch in the list of all. */
export interface BatchLine extends BatchFigures {
  /** Chosen rows that have ended, with a result or without. */
  readonly ended: number;
}

/** How a batch stands. */
export interface StatusAnswer extends BatchLine {
  readonly states: Readonly<Record<RowState, number>>;
  readonly rowsPerSecond: number;
  readonly secondsLeft: number | null;
  readonly oldest: { readonly id: string; readonly step: string; readonly since: string } | null;
  readonly halted: string | null;
  /** When the present work on it began: its first request, or its last reopening. */
  readonly since: string | null;
  readonly manifest: string;
  /** Paid requests a second (null: no limit), paid requests on the wire, and jobs in flight. */
  readonly limits: { readonly rate: number | null; readonly submits: number; readonly window: number };
  /** What holds it up and what to do, as `voxbatch status` says it. */
  readonly notes: readonly string[];
}

/** What rows of one reason say. What differs only in the job, time or price is one message. */
export interface MessagesAnswer {
  /** Most rows first. `pattern`: the filter for its rows. */
  readonly messages: readonly { readonly message: string; readonly pattern: string; readonly rows: number }[];
  /** Rows with other messages. */
  readonly others: number;
}

/** A voice that rows speak with. */
export interface VoiceLine {
  /** As the rows have it, mostly its id. */
  readonly voice: string;
  /** As the manifest, the cast or the row that made it says it; null if none of them does. */
  readonly name: string | null;
  readonly rows: number;
}

export interface VoicesAnswer {
  /** Most rows first. */
  readonly voices: readonly VoiceLine[];
  readonly areAll: boolean;
}

export interface RowLine {
  readonly row: number;
  readonly id: string;
  readonly line: number;
  readonly kind: string;
  readonly outcome: Outcome | null;
  readonly state: RowState | null;
  readonly take: number;
  /** The take that it is at: a person may have gone back to it. */
  readonly takeInUse: number;
  readonly voice: string | null;
  readonly text: string;
  readonly seconds: number | null;
  readonly media: 'audio' | 'video' | 'text' | 'other' | null;
  readonly quoted: number | null;
  readonly failure: { readonly class: string; readonly message: string } | null;
  /** What is odd about its result, such as that it is longer than `max_seconds`. */
  readonly oddity: string | null;
  readonly endedAt: string | null;
}

/** Filters of rows, by their words in an address, and whether an index serves them. */
export const ROW_FILTERS = [
  { name: 'outcome', isIndexed: true },
  { name: 'class', isIndexed: false },
  { name: 'cause', isIndexed: false },
  { name: 'message', isIndexed: false },
  { name: 'voice', isIndexed: false },
  { name: 'prefix', isIndexed: false },
  { name: 'text', isIndexed: false },
] as const;
export type RowFilterName = (typeof ROW_FILTERS)[number]['name'];
/** The filters that no index serves. */
export const SEARCHED: readonly RowFilterName[] = ROW_FILTERS.flatMap(({ name, isIndexed }) =>
  isIndexed ? [] : [name],
);

/** Orders of rows besides that of the manifest, by their words in an address. */
export const ROW_ORDERS = {
  newest: { by: 'end', isLargestFirst: true },
  priciest: { by: 'price', isLargestFirst: true },
  cheapest: { by: 'price', isLargestFirst: false },
  longest: { by: 'length', isLargestFirst: true },
  shortest: { by: 'length', isLargestFirst: false },
} as const;
export type RowOrder = keyof typeof ROW_ORDERS;

export interface RowsAnswer {
  /** May be few or none although there are more: the search goes on with `next`. */
  readonly rows: readonly RowLine[];
  /** Where to go on; null on the last page. */
  readonly next: {
    readonly row: number;
    readonly id: string;
    readonly endedAt: number;
    /** What the rows are ordered by, if no index has that order. */
    readonly value: number | null;
  } | null;
}

/** Everything about one row: the view of `voxbatch explain`. */
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
  /** The take whose result it has; while it has none, the one it is at. */
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
  /** The stored file is lost. */
  readonly storedFileLost: { readonly is: string } | null;
  readonly endedAt: string | null;
  /** What its file is; null: it has none. */
  readonly media: RowLine['media'];
  readonly seconds: number | null;
  /** What to do about it, as `voxbatch explain` says it. */
  readonly next: string;
  /** What a person can decide about it. */
  readonly ways: readonly SettleWay[];
}

/** A decision about a row, by the flags of `voxbatch reconcile` and `voxbatch redrive`. */
export interface SettleWay {
  readonly way: 'adopt' | 'resubmit' | 'accept' | 'not-charged';
  /** What it is about: the row, a part of it, or an earlier take. */
  readonly row: string;
  /** The earlier take; null: the present one. */
  readonly take: number | null;
  /** What the lost request makes, for a person to name. */
  readonly makes: 'job' | 'voice' | null;
  /** Credits that may have been charged; null if there are none, or if nobody knows how many. */
  readonly mayHaveCost: number | null;
  /** Steps that the row goes on with, and pays for, afterwards. */
  readonly then: readonly string[];
}

/** Rows of a batch whose answer was lost, the first of them with all that is known. */
export interface UnknownAnswer {
  readonly batch: string;
  readonly rows: number;
  readonly shown: readonly RowAnswer[];
}

/** A schedule as it is on record. */
export interface ScheduleAnswer {
  readonly schedule: string;
  readonly times: string;
  readonly timezone: string;
  /** By what is on record: somebody paused it here. */
  readonly paused: boolean;
  /** Why it is paused, or was resumed. */
  readonly note: string;
  readonly month: { readonly month: string; readonly credits: number; readonly left: number } | null;
  /** The newest first. */
  readonly occurrences: readonly {
    readonly at: string;
    readonly batch: string;
    readonly state: string;
    readonly exitCode: number | null;
    readonly charged: number | null;
    readonly reason: string | null;
  }[];
}

/** How schedules stand in Temporal, which alone knows when they fire next. */
export interface StandingsAnswer {
  /** Why that is not known; null: it is. */
  readonly away: string | null;
  readonly standings: readonly {
    readonly schedule: string;
    readonly paused: boolean;
    readonly note: string;
    /** Null if it never fires again, or is paused. */
    readonly next: string | null;
    /** Temporal does not know it any more. */
    readonly lost: boolean;
  }[];
}

/** What a redrive would do and cost: `voxbatch redrive --dry-run --json`. */
export interface RedrivePrice {
  readonly rows: number;
  readonly paying: number;
  readonly credits: number;
  readonly estimated: boolean;
  readonly unpriced: number;
  readonly waits: number;
  /** Rows whose stored result is accepted as it is, and of these the ones that go back to an earlier take. */
  readonly accepts: number;
  readonly returns: number;
  readonly leftOut: { readonly open: number; readonly hasResult: number; readonly noUnfit: number };
  readonly replaced: number;
  readonly mayBeChargedTwice: number;
  readonly budgetLeft: number | null;
  /** Why it would be refused; null if it would not be. */
  readonly refusal: string | null;
}

/** The price to decide on; what is posted back with this signature is done if nothing has changed since. */
export interface RedriveAnswer {
  readonly type: 'price';
  readonly price: RedrivePrice;
  readonly signature: string;
}

/**
 * What a decision means, and for resubmit and accept its price; what is posted back with this signature is done if
 * nothing has changed since.
 */
export interface SettleAnswer {
  readonly type: 'decision';
  readonly way: SettleWay;
  readonly price: RedrivePrice | null;
  readonly signature: string;
}

/** It was done: what the command said. */
export interface ActionAnswer {
  readonly type: 'done';
  readonly lines: readonly string[];
}

export interface ErrorAnswer {
  readonly message: string;
}
