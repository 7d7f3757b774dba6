/**
 * What Temporal's UI shows of a workflow beside its id. Names only: everyone with access to the namespace reads it.
 */

/** What is written over a workflow, in one line, and below it. */
export interface WorkflowLabels {
  readonly staticSummary: string;
  readonly staticDetails: string;
}

/** Labels of a batch's workflow. */
export function batchLabels(batch: string): WorkflowLabels {
  return {
    staticSummary: `Batch ${batch}`,
    staticDetails:
      'Keeps workers at work on the batch (`workLane`), and knows no rows: those are in the ledger. ' +
      'To end or pause the batch use `voxbatch stop` or `voxbatch pause`; a workflow that is terminated here is started again.',
  };
}

/** Labels of a schedule's firings. */
export function firingLabels(schedule: string): WorkflowLabels {
  return {
    staticSummary: `Schedule ${schedule}`,
    staticDetails: 'Makes a batch of what the ledger has for this schedule, and runs as long as that batch.',
  };
}
