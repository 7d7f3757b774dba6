/**
 * Summary and details of workflows in Temporal's UI. They hold only names, because everyone with access to the
 * namespace can read them.
 */

/** Options of a workflow start: a summary of one line, and details. */
export interface WorkflowLabels {
  readonly staticSummary: string;
  readonly staticDetails: string;
}

/** Returns the labels of a batch's workflow. */
export function batchLabels(batch: string): WorkflowLabels {
  return {
    staticSummary: `Batch ${batch}`,
    staticDetails:
      'Keeps workers at work on the batch (`workLane`), and knows no rows: those are in the ledger. ' +
      'To end or pause the batch use `voxbatch stop` or `voxbatch pause`; a workflow that is terminated here is started again.',
  };
}

/** Returns the labels of a schedule's workflow runs. */
export function firingLabels(schedule: string): WorkflowLabels {
  return {
    staticSummary: `Schedule ${schedule}`,
    staticDetails: 'Makes a batch of what the ledger has for this schedule, and runs as long as that batch.',
  };
}
