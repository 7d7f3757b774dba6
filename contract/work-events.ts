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

/** Observes events. It must not throw or block: every request calls it. */
export type Observe = (event: WorkEvent) => void;

type AttemptEvent =
  /**
   * An attempt asked to record its request. `answer` is `go` or the reason it is not sent; `ms` is how long that took.
   */
  | { readonly type: 'intent'; readonly answer: string; readonly ms: number }
  /** The API has answered a paid request, or its answer is lost. */
  | {
      readonly type: 'answer';
      readonly operation: Operation;
      readonly verdict: VerdictName;
      readonly ms: number;
      readonly requestId?: string;
    }
  /**
   * The consequence of the answer for the row. `message` is the failure's, without anything that only the user should
   * read.
   */
  | {
      readonly type: 'verdict';
      readonly verdict: VerdictName;
      readonly jobId?: string;
      readonly failure?: FailureClass;
      readonly status?: number | undefined;
      readonly requestId?: string | undefined;
    }
  /** A record is on disk. */
  | { readonly type: 'commit'; readonly of: 'verdict' | 'result'; readonly ms: number }
  /** A job was read. */
  | {
      readonly type: 'poll';
      readonly operation: Operation;
      readonly jobId: string;
      readonly found: 'running' | 'completed' | 'failed' | 'unread';
      readonly ageMs: number;
      readonly failure?: FailureClass;
    }
  /** A result is stored, or could not be fetched. */
  | {
      readonly type: 'download';
      readonly jobId: string;
      readonly bytes?: number;
      readonly ms?: number;
      /** The error, if the read failed; the job is read again. */
      readonly error?: string;
    };

export interface LaneEvent extends InLane {
  readonly type: 'lane';
  readonly batch: string;
  /**
   * `taken`; `claimed` with the number of new rows; otherwise how its slice ended, with the number of rows whose work
   * was over before.
   */
  readonly is: 'taken' | 'claimed' | 'more' | 'idle' | 'failed';
  readonly rows?: number;
  /** Of the workflow that offers the lane, and of that run of it. */
  readonly workflowId?: string;
  readonly runId?: string;
}

/** All calls of a class slow down, pause, or go on. */
interface LimiterEvent extends InLane {
  readonly type: 'limiter';
  readonly of: 'create' | 'read' | 'jobs';
  readonly is: 'slow-down' | 'trouble' | 'well';
  /** What the API answered, or that it did not; absent if all is well. */
  readonly failure?: FailureClass;
  readonly status?: number;
  readonly cause?: string;
  readonly pauseMs?: number;
  /** Jobs in progress when the API refused another one. */
  readonly running?: number;
}

/** Messages for whoever is on call, with their log levels. */
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
  /** Ids and figures besides. */
  readonly facts?: Readonly<Record<string, string | number | undefined>>;
}
