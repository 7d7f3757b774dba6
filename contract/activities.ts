import type { ExitName } from './exit-codes.ts';
import type { Control } from './outcomes.ts';
import type { SearchFigures, SearchAttributeName } from './search-attributes.ts';

/*
 * The contract between workflows and activities: arguments and results. Arguments only name records in the ledger; they
 * never say what to spend, read or write, because anyone who can reach Temporal can start any workflow or activity.
 * `activities/read-arguments.ts` parses them as untrusted input.
 */

/** Input of `workLane`: a lane (one share of a batch's rows in flight) that any worker may take. */
export interface LaneOffer {
  readonly batch: string;
  /** Lane number, from 1. Lanes for workers that only download start at `FIRST_DOWNLOAD_LANE`. */
  readonly lane: number;
  /** Number of the batch's lanes with the same duty (submit or download). They share the batch's limits. */
  readonly lanes: number;
  /** Id of the first run in the batch workflow's continue-as-new chain. */
  readonly run: string;
}

/**
 * How a slice of work on a lane ended. `more`: offer the lane again at once, because its time was up, its worker is
 * shutting down, or another worker has it. `idle`: the lane has no work for now.
 */
export interface LaneReport extends ReportedFigures {
  readonly then: 'more' | 'idle';
}

/** Progress figures that the workflow shows as search attributes. Earlier versions of workers report none. */
export interface ReportedFigures {
  readonly figures?: SearchFigures;
  /**
   * The batch search attributes that are registered on the server. Setting an unregistered one would fail the workflow
   * task forever.
   */
  readonly searchable?: readonly SearchAttributeName[];
}

/** The work that a batch still needs. */
export interface BatchSurvey extends ReportedFigures {
  /** Number of rows without an outcome; 0 means that the batch is closed. */
  readonly open: number;
  readonly control: Control;
  /** Number of lanes to run in parallel; 0 if there is nothing to do now. */
  readonly lanes: number;
  /**
   * Number of workers that only download; each gets its own lane. Absent if there are none, or if an earlier version
   * reported.
   */
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
 * Outcome of a firing: a batch, or none because it failed (`refused`), was rightly omitted, or had its batch ended
 * before it began (both `skipped`). `reason` is human-readable and quotes no cell of the manifest.
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
