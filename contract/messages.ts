/** Names of the workflow types, updates and signals; shared by workflows and those who talk to them. */
export const RUN_BATCH = 'runBatch';
export const RUN_LANE = 'runLane';

/**
 * Update of runBatch: there is a new wish in the ledger (pause, resume, stop, tune). Takes nothing; answers with the `Control` that
 * holds, once it does.
 */
export const CONTROL_UPDATE = 'applyControl';

/** Signal of runBatch: the same news without an answer. It is kept by the server until a worker comes, which an update is not. */
export const CONTROL_NEWS = 'controlNews';

/** Signal of runLane: what the user lets the batch do from now on, and the lane's share of the limits. */
export const CONTROL_SIGNAL = 'controlChanged';

export interface RunBatchInput {
  readonly batch: string;
  /** Number of lanes; the window and the submits are shared out among them. */
  readonly lanes: number;
  /** Lanes continue as new after this many events; by default when the server suggests it. */
  readonly continueAfterEvents?: number;
}
