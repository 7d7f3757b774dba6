/** Names of the workflow type and its signal; shared by workflows and those who talk to them. */

/** The workflow of a batch. Another type than `runBatch` of earlier versions, whose histories this one cannot go on with. */
export const SUPERVISE_BATCH = 'superviseBatch';

/**
 * Signal that wakes the workflow: the ledger has something new for it, such as a batch that was resumed, rows that were opened again, or a worker that
 * joined. The server keeps it until a worker comes.
 */
export const WAKE_UP_SIGNAL = 'news';

export interface SuperviseBatchInput {
  readonly batch: string;
  /** Continue as new after this many events; default: when the server suggests it. */
  readonly continueAfterEvents?: number;
}

/** Workflow tasks of ours are short; a lost worker's task comes again after this. */
export const WORKFLOW_TASK_TIMEOUT = '3s';
