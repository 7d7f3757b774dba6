import type { AttemptKey } from './batch.ts';
import type { BatchEvent, InLane, OccurrenceEvent, RowEvent, ScheduleEvent } from './batch-events.ts';
import type { FailureClass } from './failures.ts';
import type { VerdictName } from './outcomes.ts';
import type { Operation } from './row-kinds.ts';

/**
 * Events inside a worker, for logs, metrics and traces. Each event names its parents explicitly, because async context
 * is switched off for speed (docs/decisions/cpu.md). Ids and figures only: never a text, a token or a link.
 */
export type WorkEvent =
  | BatchEvent
  | ScheduleEvent
  | OccurrenceEvent
  | LaneEvent
  | RowEvent
  | LimiterEvent
  | NoteEvent
  | (AttemptKey & InLane & AttemptEvent);

/** Receives the events of a worker. It must not throw or block, because every request calls it. */
export type Observe = (event: WorkEvent) => void;

type AttemptEvent =
  /** The ledger answered an intent to send. `answer`: `go`, or why the request is not sent; `ms`: time that it took. */
  | { readonly type: 'intent'; readonly answer: string; readonly ms: number }
  /** The API has answered a paid request, or its answer is lost. */
  | {
      readonly type: 'answer';
      readonly operation: Operation;
      readonly verdict: VerdictName;
      readonly ms: number;
      readonly requestId?: string;
    }
  /** The verdict on the request was decided. */
  | {
      readonly type: 'verdict';
      readonly verdict: VerdictName;
      readonly jobId?: string;
      readonly failure?: FailureClass;
      /** HTTP status of the failure, if any. */
      readonly status?: number | undefined;
      readonly requestId?: string | undefined;
    }
  /** The verdict or the result is durable in the ledger. */
  | { readonly type: 'commit'; readonly of: 'verdict' | 'result'; readonly ms: number }
  /** A job was polled. `unread`: the poll failed. */
  | {
      readonly type: 'poll';
      readonly operation: Operation;
      readonly jobId: string;
      readonly found: 'running' | 'completed' | 'failed' | 'unread';
      readonly ageMs: number;
      readonly failure?: FailureClass;
    }
  /** A result was stored, or could not be downloaded. */
  | {
      readonly type: 'download';
      readonly jobId: string;
      readonly bytes?: number;
      readonly ms?: number;
      /** Why the download failed; it is retried with a new link. */
      readonly error?: string;
    };

/** A lane was taken by this worker, claimed rows, or ended its slice of work. */
export interface LaneEvent extends InLane {
  readonly type: 'lane';
  readonly batch: string;
  /** `more`, `idle`: see `LaneReport`. */
  readonly is: 'taken' | 'claimed' | 'more' | 'idle' | 'failed';
  /** With `claimed`: new rows. At the end of a slice: rows whose work the slice finished. */
  readonly rows?: number;
  /** The workflow that offers the lane, and its run. */
  readonly workflowId?: string;
  readonly runId?: string;
}

/** All calls of a class slow down (after a 429), pause because the API does not answer, or continue. */
interface LimiterEvent extends InLane {
  readonly type: 'limiter';
  readonly of: 'create' | 'read' | 'jobs';
  readonly is: 'slow-down' | 'trouble' | 'well';
  /** What the API answered, or that it did not; absent with `well`. */
  readonly failure?: FailureClass;
  /** HTTP status of that answer, if any. */
  readonly status?: number;
  readonly cause?: string;
  readonly pauseMs?: number;
  /** Jobs in progress when the API refused another one. */
  readonly running?: number;
}

/** Messages for the person on call, with their log levels. */
export const NOTES = {
  'row-ended': ['error', 'a row is ended'],
  'answer-unrecorded': ['error', 'an answer cannot be recorded'],
  'ledger-away': ['error', 'the database of the ledger does not answer; nothing is sent until it does'],
  'store-away': ['error', 'the store does not answer; nothing more is paid for until it does'],
  'store-back': ['info', 'the store answers again'],
  'ledger-back': ['info', 'the database of the ledger answers again'],
  'batch-missing': [
    'error',
    'Temporal offers work on a batch that the ledger does not have; it is left to another worker',
  ],
  'parts-unjoinable': ['error', 'parts cannot be joined'],
  'submit-failed': ['warn', 'a submit failed; it is reconciled'],
  'price-unrecorded': ['warn', 'a price cannot be noted'],
  'link-unread': ['warn', 'the link of an earlier step was not read; later again'],
  'list-unread': ['warn', 'the list could not be read; the row is left unknown'],
  'voices-unread': ['warn', 'the list of voices could not be read before a voice is made'],
  'voice-look-failed': ['warn', 'a look at voices failed'],
  'odd-speech': ['warn', 'the speech is odd, as its voice usually speaks; listen to it'],
  'result-forgotten': ['warn', 'the file of an earlier result is not what its record says; the result is forgotten'],
  'occurrence-refused': ['warn', 'no batch for an occurrence'],
  'files-unwritten': ['warn', 'files of an occurrence not written'],
  'report-unwritten': ['warn', 'the report of an occurrence not written; its other files are'],
  'text-limit-unrecorded': ['warn', 'a limit on the length of texts cannot be recorded'],
  'text-limit-learnt': ['info', 'a limit on the length of texts was learnt from a refusal'],
  'job-found': ['info', 'the lost job was found in the list'],
  'voice-found': ['info', 'the lost voice was found in the list'],
} as const satisfies Readonly<Record<string, readonly ['error' | 'warn' | 'info', string]>>;

interface NoteEvent extends InLane, Partial<AttemptKey> {
  readonly type: 'note';
  readonly what: keyof typeof NOTES;
  readonly error?: string | undefined;
  /** Further ids and figures. */
  readonly facts?: Readonly<Record<string, string | number | undefined>>;
}
