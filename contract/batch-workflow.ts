/** Names of the workflow type and its signal; shared by workflows and their clients. */

/**
 * The workflow type of a batch. It replaces `runBatch` of earlier versions, whose histories this one cannot continue.
 */
export const SUPERVISE_BATCH = 'superviseBatch';

/**
 * Signal that wakes the workflow when the ledger has changed: a resumed batch, reopened rows, a new worker. The server
 * keeps it until a worker is available.
 */
export const WAKE_UP_SIGNAL = 'news';

export interface SuperviseBatchInput {
  readonly batch: string;
  /** Continue as new after this many events. Default: when the server suggests it. */
  readonly continueAfterEvents?: number;
  /**
   * The version of workers that the run before this one has left for a newer one. A run that finds itself there again
   * is held by somebody's versioning override, and stays. Left out where the run before had only filled its history.
   */
  readonly leftVersion?: string;
}

/** Our workflow tasks are short; a lost worker's task is retried after this. */
export const WORKFLOW_TASK_TIMEOUT = '3s';
