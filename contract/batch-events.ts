import type { ActionKind, ActorType } from './actions.ts';
import type { ExitName } from './exit-codes.ts';
import type { FailureClass } from './failures.ts';
import type { Control, Outcome } from './outcomes.ts';

/** Events of whole batches, schedules and rows, among those of a worker (`work-events.ts`). */

/** The lane that works on the row, and the row's id; absent outside a lane. */
export interface InLane {
  readonly lane?: number;
  readonly id?: string;
}

/**
 * What a worker hears of a batch of its API and account. `open`: there as the worker begins. `end`: all of its rows
 * have ended; otherwise what somebody did to it, as it goes on record. Each worker tells it.
 */
export interface BatchEvent extends InLane {
  readonly type: 'batch';
  readonly batch: string;
  readonly is: 'open' | 'end' | ActionKind;
  /** Of its workflow in Temporal. */
  readonly workflowId: string;
  /** Number of the action on record: the same on each worker. */
  readonly action?: number;
  readonly by?: string;
  readonly byType?: ActorType;
  readonly reason?: string | undefined;
  /** Why it paused by itself. */
  readonly failure?: FailureClass | undefined;
  readonly status?: number | undefined;
  readonly requestId?: string | undefined;
  readonly control?: Control;
  /** Rows that it is about: of `open` those without an outcome. */
  readonly rows?: number;
  /** Of `end`: its exit code by name, how many rows ended how, and its bill. */
  readonly exit?: ExitName;
  readonly outcomes?: Readonly<Partial<Record<Outcome, number>>>;
  readonly charged?: number;
  readonly uncertain?: number;
}

/** What somebody did to a schedule, as it goes on record. */
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
 * A schedule's firing: it has become a batch, or that batch has ended and its files are written, unless `problem` says
 * why not.
 */
export interface OccurrenceEvent extends InLane {
  readonly type: 'occurrence';
  readonly is: 'begin' | 'end';
  readonly schedule: string;
  /** When it was due, ISO 8601. */
  readonly at: string;
  readonly batch: string;
  readonly exit?: ExitName;
  readonly problem?: string | undefined;
}

/**
 * A row has ended, or has another outcome than before. Rows that end with others in the database, unsent, have none.
 */
export interface RowEvent extends InLane {
  readonly type: 'row';
  readonly batch: string;
  readonly row: number;
  readonly take: number;
  readonly outcome: Outcome;
  /** Why it has no result. */
  readonly failure?: FailureClass | undefined;
  readonly cause?: string | undefined;
  readonly status?: number | undefined;
  readonly requestId?: string | undefined;
}
