import type { ExitName } from './exit-codes.ts';
import type { Control } from './outcomes.ts';
import type { SearchFigures, SearchAttributeName } from './search-attributes.ts';

/*
 * Activity arguments only name records in the ledger; they never say what to spend, read or write, because anyone who
 * can reach Temporal can start any workflow or activity. `activities/read-arguments.ts` parses them as untrusted input.
 */

/** A lane on offer to any worker. */
export interface LaneOffer {
  readonly batch: string;
  /** From 1; those of workers that only download from {@link FIRST_DOWNLOAD_LANE}. */
  readonly lane: number;
  /** How many lanes of this duty the batch has; they share its limits. */
  readonly lanes: number;
  /** The first run of the batch's workflow; all runs that continue it carry the same. */
  readonly run: string;
}

/**
 * How a slice of work on a lane ended. `more`: offer the lane again at once: its time was up, its worker is shutting
 * down, or another worker has it. `idle`: there is nothing to do for now.
 */
export interface LaneReport extends ReportedFigures {
  readonly then: 'more' | 'idle';
}

/** How a batch stands, for Temporal's lists; absent from the answers of earlier versions. */
export interface ReportedFigures {
  readonly figures?: SearchFigures;
  /**
   * The search attributes that the server has, of those that a batch can show: to set another one would fail the
   * workflow's task for ever.
   */
  readonly searchable?: readonly SearchAttributeName[];
}

/** The work that a batch needs. */
export interface BatchSurvey extends ReportedFigures {
  /** Rows without an outcome; with none left, the batch is closed. */
  readonly open: number;
  readonly control: Control;
  /** How many lanes can run in parallel; 0 if there is nothing to do now. */
  readonly lanes: number;
  /** How many workers only download, and get a lane of their own each. Absent: none, or from an earlier version. */
  readonly downloadLanes?: number;
}

/** A schedule's firing that should become a batch. */
export interface OccurrenceOffer {
  /** Name of the schedule. */
  readonly schedule: string;
  /** The scheduled time, in ms since 1970. */
  readonly at: number;
  /** Delay between the server's firing and a worker picking it up, in ms. */
  readonly waitedMs: number;
}

/**
 * Outcome of a firing: a batch, or none because it failed (`refused`) or was rightly omitted (`skipped`). `reason` is
 * human-readable and quotes no cell of the manifest.
 */
export type OccurrenceStart =
  | {
      readonly type: 'opened';
      /** Name of its batch. */
      readonly batch: string;
      /** Id of the batch's own workflow. */
      readonly workflowId: string;
      /** True if every row has already ended, because this firing ran before. */
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
      /** Absent if there are none, or if an older version reported. */
      readonly leftOut?: RowsLeftOut;
    };

/** Selected rows that a batch never sent. */
export interface RowsLeftOut {
  readonly rows: number;
  /** The batch's budget in credits; null if it had none. */
  readonly budget: number | null;
  /** The batch was to use earlier results only. */
  readonly isCachedOnly: boolean;
}

/** Everything that a workflow can call. Implemented in `activities/`. */
export interface Activities {
  /**
   * Ends the unsent rows of a stopping batch, closes the batch if no row is open, and reports what it still needs.
   * Idempotent.
   */
  surveyBatch(batch: string): Promise<BatchSurvey>;
  /**
   * Works on a lane for a slice of time: claims rows, submits, waits, downloads, reconciles. The ledger is its only
   * memory, so it may run twice, late, or on another worker; the last to acquire the lane owns it.
   */
  workLane(offer: LaneOffer): Promise<LaneReport>;
  /**
   * Reads a schedule's current manifest, validates and prices it, and creates the batch of this occurrence, or finds
   * the existing one. Idempotent.
   */
  openOccurrence(offer: OccurrenceOffer): Promise<OccurrenceStart>;
  /** Writes the files of an occurrence's batch if it has ended. Does not wait. Idempotent. */
  awaitOccurrence(batch: string): Promise<OccurrenceEnd>;
  /** Stops a batch from sending paid requests. The caller must wake its workflow. Idempotent. */
  stopBatch(batch: string): Promise<void>;
}
