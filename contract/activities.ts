import type { HeldAttempt, RowAttempt, RowTask, SubmitReport, WaitReport } from './batch.ts';
import type { Control } from './outcomes.ts';

/** Which rows a lane wants. The same claim made twice returns the same rows. */
export interface ClaimRequest {
  readonly batch: string;
  /** The run of the batch workflow; rows claimed by an earlier run are free again. */
  readonly run: string;
  readonly lane: number;
  /** Counts the claims of this lane in this run, from 1. */
  readonly claim: number;
  /** Room in the lane's window. Rows with a request or a job under way are also given beyond it: they are not to be sent. */
  readonly limit: number;
}

export interface ClaimReply {
  readonly rows: readonly RowTask[];
  /** What the user lets the batch do, as of this claim. */
  readonly control: Control;
  /** True when no unclaimed row is left for anybody. */
  readonly exhausted: boolean;
}

export interface AwaitRequest {
  readonly batch: string;
  readonly rows: readonly RowAttempt[];
  /** The slice ends after this long at the latest, in ms. */
  readonly sliceMs: number;
}

export interface AwaitReply {
  readonly settled: readonly WaitReport[];
  /** What the batch may do, as of the end of the slice. A worker of an older version does not say. */
  readonly control?: Control;
}

/** Everything a workflow may ask of the world. Implemented in `activities/`, one verb a file. */
export interface Activities {
  /** What the lanes of a batch need to know before they start; marks the batch as running. */
  openBatch(
    batch: string,
  ): Promise<{ readonly rows: number; readonly control: Control; readonly submits: number; readonly window: number }>;
  /** Next rows for a lane, in manifest order. Repeatable. */
  claimRows(request: ClaimRequest): Promise<ClaimReply>;
  /** One paid request, recorded. Runs once (`maximumAttempts: 1`); a lost run is settled by `reconcile`. */
  submit(key: HeldAttempt): Promise<SubmitReport>;
  /** Settles an attempt whose answer was lost. Never pays. Repeatable. */
  reconcile(key: HeldAttempt): Promise<SubmitReport>;
  /** Polls, downloads, checks and stores for all given rows until the slice ends. Repeatable. */
  awaitAndFetch(request: AwaitRequest): Promise<AwaitReply>;
  /**
   * Carries out what the ledger says the user wants: for `paused` and `stopping`, waits until no paid request is on the wire.
   * Returns what holds, with the limits that lanes share.
   */
  applyControl(
    batch: string,
  ): Promise<{ readonly control: Control; readonly submits: number; readonly window: number }>;
  /**
   * Called when no lane works on the batch any more: ends the rows that a stopping batch never sent as `cancelled`, and
   * closes the batch unless a row is open, as after a late answer. Says what the user wants by now. Repeatable.
   */
  closeBatch(batch: string): Promise<{ readonly open: number; readonly control: Control }>;
}
