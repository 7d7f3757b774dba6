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

/** Everything that a workflow may ask for. Implemented in `activities/`. */
export interface Activities {
  /** Ends what a stopping batch has not sent, closes the batch if no row is open, and says what it needs. Repeatable. */
  surveyBatch(batch: string): Promise<BatchSurvey>;
  /**
   * Works on a lane for a slice of time: claims rows, submits, waits, downloads, reconciles. The ledger is its only memory, so it may run
   * twice, late, or on another worker; whoever acquired the lane last owns it.
   */
  workLane(offer: LaneOffer): Promise<LaneReport>;
}
