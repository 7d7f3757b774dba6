import type { ActionKind, ActorType } from './actions.ts';
import type { ExitName } from './exit-codes.ts';
import type { FailureClass } from './failures.ts';
import type { Control, Outcome } from './outcomes.ts';

/** Events of batches, schedules and rows that a worker logs and counts. `work-events.ts` has the rest of its events. */

/** Where an event happened: the lane, and the id of the row that the lane works on. Absent outside a lane. */
export interface InLane {
  readonly lane?: number;
  readonly id?: string;
}

/**
 * A change of a batch of the worker's API and account. `open`: the batch existed when the worker started. `end`: all
 * its rows have ended. Otherwise: a recorded action on it. Every worker emits each event.
 */
export interface BatchEvent extends InLane {
  readonly type: 'batch';
  readonly batch: string;
  readonly is: 'open' | 'end' | ActionKind;
  readonly workflowId: string;
  /** `ActionRecord.number`, by which the same event of several workers can be recognised. */
  readonly action?: number;
  readonly by?: string;
  readonly byType?: ActorType;
  readonly reason?: string | undefined;
  /** The failure because of which the batch paused by itself, if it did. */
  readonly failure?: FailureClass | undefined;
  /** HTTP status of that failure, if any. */
  readonly status?: number | undefined;
  /** The API's id of the failed request, if any. */
  readonly requestId?: string | undefined;
  readonly control?: Control;
  /** Number of affected rows; with `open`, of rows without an outcome. */
  readonly rows?: number;
  /** With `end`, as are the members below. */
  readonly exit?: ExitName;
  /** Number of rows by outcome. */
  readonly outcomes?: Readonly<Partial<Record<Outcome, number>>>;
  /** In credits. */
  readonly charged?: number;
  /** Credits that may have been charged for requests whose answer is lost. */
  readonly uncertain?: number;
}

/** A recorded action on a schedule. */
export interface ScheduleEvent extends InLane {
  readonly type: 'schedule';
  readonly schedule: string;
  readonly is: ActionKind;
  readonly action: number;
  readonly by: string;
  readonly byType: ActorType;
  readonly reason: string | undefined;
}

/**
 * An occurrence of a schedule. `begin`: its batch was created. `end`: the batch has ended and its files are written,
 * unless `problem` says why not.
 */
export interface OccurrenceEvent extends InLane {
  readonly type: 'occurrence';
  readonly is: 'begin' | 'end';
  readonly schedule: string;
  /** Its scheduled time, ISO 8601. */
  readonly at: string;
  readonly batch: string;
  readonly exit?: ExitName;
  readonly problem?: string | undefined;
}

/**
 * A row has ended, or its outcome has changed. Not emitted for unsent rows that the database ends together in one
 * statement.
 */
export interface RowEvent extends InLane {
  readonly type: 'row';
  readonly batch: string;
  readonly row: number;
  readonly take: number;
  readonly outcome: Outcome;
  /** Why the row has no result. Absent if it has one. */
  readonly failure?: FailureClass | undefined;
  /** `Failure.cause`, unless it could contain the row's text. */
  readonly cause?: string | undefined;
  /** HTTP status of the failure, if any. */
  readonly status?: number | undefined;
  /** The API's id of the failed request, if any. */
  readonly requestId?: string | undefined;
}
