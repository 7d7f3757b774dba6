import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import {
  ApplicationFailure,
  CancellationScope,
  ChildWorkflowCancellationType,
  condition,
  continueAsNew,
  getExternalWorkflowHandle,
  isCancellation,
  ParentClosePolicy,
  patched,
  setWorkflowOptions,
  startChild,
  workflowInfo,
} from '@temporalio/workflow';
import type { OccurrenceEnd, OccurrenceStart } from '../contract/activities.ts';
import {
  SUPERVISE_BATCH,
  WAKE_UP_SIGNAL,
  WORKFLOW_TASK_TIMEOUT,
  type SuperviseBatchInput,
} from '../contract/batch-workflow.ts';
import type { FireScheduleInput } from '../contract/schedule.ts';
import { batchLabels } from '../contract/workflow-labels.ts';
import { scheduledTimeOf } from '../policy/schedules/occurrence.ts';
import { occurrenceVerdict, endCheckPauseMs } from '../policy/schedules/occurrence-end.ts';
import { awaitOccurrence, openOccurrence, stopBatch } from './activities.ts';
import { anyVersionOptions } from './worker-versions.ts';

type OpenedOccurrence = Extract<OccurrenceStart, { readonly type: 'opened' }>;

/** The result of a firing that did not fail. */
type FiringEnd = OccurrenceEnd | Exclude<OccurrenceStart, OpenedOccurrence>;

/**
 * Workflow of one firing of a schedule: turns the current manifest into this occurrence's batch, starts it, and runs as
 * long as that batch, because the schedule's overlap policy applies to this workflow. Its own id holds its scheduled
 * time.
 *
 * The batch has its own workflow, as every batch has, under the usual id. So `run`, `status` and `stop` treat it like
 * any other, and it outlives a firing that somebody terminates. The ledger, not that workflow, decides when the batch
 * has ended, because another workflow may have replaced it by then. The workflow's end only triggers a check.
 *
 * A firing fails if it created no batch, or if its batch left rows out on its own. The overlap policy `cancel` cancels
 * it; it then stops its batch.
 */
export async function fireSchedule({ schedule }: FireScheduleInput): Promise<FiringEnd> {
  const scheduledAt = scheduledTimeOf(workflowInfo().workflowId);
  if (scheduledAt === undefined)
    throw ApplicationFailure.nonRetryable('No schedule started this workflow.', 'NotScheduled');
  // The first execution happens when a worker picks up the task; a replay sees the same time.
  const waitedMs = Date.now() - workflowInfo().startTime.getTime();
  // Not cancellable: only a firing that knows the batch can stop it, and otherwise the batch might still be run.
  const opened = await CancellationScope.nonCancellable(() => openOccurrence({ schedule, at: scheduledAt, waitedMs }));
  if (opened.type === 'skipped') return opened;
  if (opened.type === 'refused') throw ApplicationFailure.nonRetryable(opened.reason, 'OccurrenceRefused');
  const isStarting = !opened.isClosed && !CancellationScope.current().consideredCancelled;
  const supervisor = new SupervisorWatch();
  if (isStarting) await CancellationScope.nonCancellable(() => startSupervisor(opened, supervisor));
  try {
    return await waitForEnd(opened, { schedule }, supervisor);
  } catch (error) {
    if (!isCancellation(error)) throw error;
    await CancellationScope.nonCancellable(async () => {
      await stopBatch(opened.batch);
      // A batch that was cancelled before it started still needs a workflow to end its rows.
      if (!opened.isClosed && !isStarting) await startSupervisor(opened, supervisor);
      await wake(opened);
      await waitForEnd(opened, { schedule }, supervisor);
    });
    throw error;
  }
}

// A firing runs as long as its batch, which may outlive a version of the workers, so any version may continue it.
setWorkflowOptions(anyVersionOptions, fireSchedule);

/** Watches the batch's workflow, if this firing has started it. */
class SupervisorWatch {
  /** True while the batch's workflow runs and will notify this firing of its end. */
  isWatching = false;
  /** True once that workflow has ended, and so probably the batch; set to false once that is checked. */
  hasEnded = false;

  /** Watches the workflow with this result. */
  start(result: Promise<unknown>): void {
    this.isWatching = true;
    const end = (): void => {
      this.isWatching = false;
      this.hasEnded = true;
    };
    result.then(end, end);
  }
}

/** Starts the workflow of the batch, unless it has been started already. */
async function startSupervisor({ batch, workflowId }: OpenedOccurrence, supervisor: SupervisorWatch): Promise<void> {
  const input: SuperviseBatchInput = { batch };
  try {
    const child = await startChild(SUPERVISE_BATCH, {
      workflowId,
      args: [input],
      workflowIdReusePolicy: 'ALLOW_DUPLICATE',
      workflowTaskTimeout: WORKFLOW_TASK_TIMEOUT,
      parentClosePolicy: ParentClosePolicy.ABANDON,
      cancellationType: ChildWorkflowCancellationType.ABANDON,
      ...batchLabels(batch),
    });
    supervisor.start(child.result());
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
  }
}

/**
 * Waits for the batch to end, and returns how it ended. Checks the ledger, at first often, then ever more rarely. The
 * pauses are workflow timers, which occupy no activity slot. Throws if the batch left rows out on its own.
 */
async function waitForEnd(
  opened: OpenedOccurrence,
  input: FireScheduleInput,
  supervisor: SupervisorWatch,
): Promise<OccurrenceEnd> {
  for (let checks = 0; ; checks++) {
    const end = await awaitOccurrence(opened.batch);
    if (end.type === 'ended') {
      const verdict = occurrenceVerdict(opened.batch, end);
      if (verdict.type === 'ended') return end;
      throw ApplicationFailure.nonRetryable(verdict.reason, 'OccurrenceFailed');
    }
    if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof fireSchedule>(input);
    // Earlier versions waited inside the activity, for up to an hour.
    if (!patched('firing-waits')) continue;
    const { isWatching } = supervisor;
    if (await condition(() => supervisor.hasEnded, endCheckPauseMs(checks, isWatching))) supervisor.hasEnded = false;
    if (isWatching !== supervisor.isWatching) checks = 0;
  }
}

/** Wakes the batch's workflow, so that it reads the stop from the ledger. */
async function wake({ workflowId }: OpenedOccurrence): Promise<void> {
  try {
    await getExternalWorkflowHandle(workflowId).signal(WAKE_UP_SIGNAL);
  } catch {
    // It has ended meanwhile; a new workflow for the batch will read the stop from the ledger.
  }
}
