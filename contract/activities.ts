import type { ExitName } from './exit-codes.ts';
import type { Control } from './outcomes.ts';

/** A lane that is offered to whichever worker takes it. */
export interface LaneOffer {
  readonly batch: string;
  /** From 1. */
  readonly lane: number;
  /** How many lanes the batch has: its limits are shared out among them. */
  readonly lanes: number;
  /** The first run of the batch's workflow, the same in all that continue it. */
  readonly run: string;
}

/**
 * How a slice of work on a lane ended. `more`: offer the lane again at once: its time was over, its worker is shutting down, or another
 * worker has it. `idle`: there is nothing to do for now.
 */
export interface LaneReport {
  readonly then: 'more' | 'idle';
}

/** What a batch needs. */
export interface BatchSurvey {
  /** Rows without an outcome; the batch is closed if there is none. */
  readonly open: number;
  readonly control: Control;
  /** How many lanes can be worked on at the same time; 0: there is nothing to do now. */
  readonly lanes: number;
}

/** A firing of a schedule that is to become a batch. */
export interface OccurrenceOffer {
  /** Name of the schedule. */
  readonly schedule: string;
  /** The time that it was scheduled for, ms since 1970. */
  readonly at: number;
  /** What to run; not parsed yet. */
  readonly run: unknown;
}

/** What became of a firing: a batch, or nothing. `reason`: for people, without what is in the manifest's cells. */
export type OccurrenceStart =
  | {
      readonly type: 'opened';
      /** Name of its batch. */
      readonly batch: string;
      /** Folder of the batch's files. Absolute. */
      readonly out: string;
      /** Id of the batch's own workflow. */
      readonly workflowId: string;
      /** Every row has ended already: the firing ran before. */
      readonly isClosed: boolean;
    }
  | { readonly type: 'refused'; readonly reason: string };

/** Where a firing's batch stands. `ended`: every row has an outcome, and its files are written unless `problem` says why not. */
export type OccurrenceEnd =
  { readonly type: 'open' } | { readonly type: 'ended'; readonly exit: ExitName; readonly problem?: string };

/** Everything that a workflow may ask for. Implemented in `activities/`. */
export interface Activities {
  /** Ends what a stopping batch has not sent, closes the batch if no row is open, and says what it needs. Repeatable. */
  surveyBatch(batch: string): Promise<BatchSurvey>;
  /**
   * Works on a lane for a slice of time: claims rows, submits, waits, downloads, reconciles. The ledger is its only memory, so it may run
   * twice, late, or on another worker; whoever acquired the lane last owns it.
   */
  workLane(offer: LaneOffer): Promise<LaneReport>;
  /** Reads a schedule's manifest as it is now, checks and prices it, and makes it the batch of this occurrence, or finds that. Repeatable. */
  openOccurrence(offer: OccurrenceOffer): Promise<OccurrenceStart>;
  /** Waits for the end of a batch, an hour at most, and writes its files. Repeatable. */
  awaitOccurrence(batch: { readonly batch: string; readonly out: string }): Promise<OccurrenceEnd>;
  /** Has a batch send no more paid requests. Its workflow must be told. Repeatable. */
  stopBatch(batch: string): Promise<void>;
}
