/** The contract between the batch workflow and the clients that start and signal it. */

/**
 * The workflow type of a batch. It replaces `runBatch` of earlier versions, whose histories this one cannot continue.
 */
export const SUPERVISE_BATCH = 'superviseBatch';

/**
 * Signal that wakes the workflow when the ledger has changed: a resumed batch, reopened rows, a new worker. The server
 * keeps it until a worker is available.
 */
export const WAKE_UP_SIGNAL = 'news';

/** Input of the workflow `superviseBatch`, one for each open batch. */
export interface SuperviseBatchInput {
  readonly batch: string;
  /** Continue as new after this many events. Default: when the server suggests it. */
  readonly continueAfterEvents?: number;
  /**
   * The worker version (`deployment:build`) that the previous run left by continuing as new. A run that is on this
   * version again is pinned by a versioning override, and stays there. Omitted if the previous run continued only
   * because its history was full.
   */
  readonly leftVersion?: string;
}

/** Workflow tasks take milliseconds, so a task of a lost worker is retried after this short time. */
export const WORKFLOW_TASK_TIMEOUT = '3s';
