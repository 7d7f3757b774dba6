import type { ExitName } from './exit-codes.ts';
import type { Control } from './outcomes.ts';

/*
 * What a workflow tells an activity names things of the ledger, and never what to spend, read or write: whoever reaches Temporal can start any workflow
 * and any activity. `activities/read-arguments.ts` reads it as it comes.
 */

/** A lane on offer to any worker. */
export interface LaneOffer {
  readonly batch: string;
  /** From 1. */
  readonly lane: number;
  /** How many lanes the batch has; they share its limits. */
  readonly lanes: number;
  /** The first run of the batch's workflow; all runs that continue it carry the same. */
  readonly run: string;
}

/**
 * How a slice of work on a lane ended. `more`: offer the lane again at once: its time was up, its worker is shutting
 * down, or another worker has it. `idle`: there is nothing to do for now.
 */
export interface LaneReport {
  readonly then: 'more' | 'idle';
}

/** What a batch needs. */
export interface BatchSurvey {
  /** Rows without an outcome; with none left, the batch is closed. */
  readonly open: number;
  readonly control: Control;
  /** How many lanes can be worked on at the same time; 0: there is nothing to do now. */
  readonly lanes: number;
}

/** A firing of a schedule, to be made a batch. */
export interface OccurrenceOffer {
  /** Name of the schedule. */
  readonly schedule: string;
  /** The scheduled time, in ms since 1970. */
  readonly at: number;
  /** How long ago the server fired it when a worker took it, ms. */
  readonly waitedMs: number;
}

/**
 * What became of a firing: a batch, or nothing, which has failed (`refused`) or is as it should be (`skipped`). `reason` is for people, and
 * repeats no cell of the manifest.
 */
export type OccurrenceStart =
  | {
      readonly type: 'opened';
      /** Name of its batch. */
      readonly batch: string;
      /** Id of the batch's own workflow. */
      readonly workflowId: string;
      /** Every row has ended already: this firing ran before. */
      readonly isClosed: boolean;
    }
  | { readonly type: 'refused'; readonly reason: string }
  | { readonly type: 'skipped'; readonly reason: string };

/**
 * State of a firing's batch. `ended`: every row has an outcome, and its files are written unless `problem` says why
 * not.
 */
export type OccurrenceEnd =
  | { readonly type: 'open' }
  | {
      readonly type: 'ended';
      readonly exit: ExitName;
      readonly problem?: string;
      /** Absent: none, or an older version looked. */
      readonly leftOut?: RowsLeftOut;
    };

/** Rows that a batch never sent although they were chosen. */
export interface RowsLeftOut {
  readonly rows: number;
  /** The budget of the batch in credits; null: it had none. */
  readonly budget: number | null;
  /** The batch was to use earlier results only. */
  readonly isCachedOnly: boolean;
}

/** Everything that a workflow can call. Implemented in `activities/`. */
export interface Activities {
  /**
   * Ends what a stopping batch has not sent, closes the batch if no row is open, and says what it needs. Can be
   * repeated.
   */
  surveyBatch(batch: string): Promise<BatchSurvey>;
  /**
   * Works on a lane for a slice of time: claims rows, submits, waits, downloads, reconciles. The ledger is its only
   * memory, so it may run twice, late, or on another worker; the last to acquire the lane owns it.
   */
  workLane(offer: LaneOffer): Promise<LaneReport>;
  /**
   * Reads a schedule's manifest as it is now, checks and prices it, and makes it the batch of this occurrence, or finds
   * that batch. Can be repeated.
   */
  openOccurrence(offer: OccurrenceOffer): Promise<OccurrenceStart>;
  /** Looks whether the batch of an occurrence has ended, and then writes its files. Does not wait. Can be repeated. */
  awaitOccurrence(batch: string): Promise<OccurrenceEnd>;
  /** Makes a batch send no more paid requests. The caller must wake its workflow. Can be repeated. */
  stopBatch(batch: string): Promise<void>;
}
