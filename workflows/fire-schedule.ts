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
import { withAnyVersion } from './worker-versions.ts';

type OpenedOccurrence = Extract<OccurrenceStart, { readonly type: 'opened' }>;

/** The result of a firing that did not fail. */
type FiringEnd = OccurrenceEnd | Exclude<OccurrenceStart, OpenedOccurrence>;

/**
 * One firing of a schedule: turns the current manifest into this occurrence's batch, starts it, and runs as long as
 * that batch, because the schedule's overlap policy looks at this workflow. It reads its scheduled time from its own
 * id.
 *
 * The batch has its own workflow, as every batch has, under the usual id. So `run`, `status` and `stop` treat it like
 * any other, and it outlives a firing that somebody terminates. The ledger, not that workflow, decides when the batch
 * has ended, because another workflow may have replaced it by then. The workflow's end only triggers a check.
 *
 * A firing fails if it created no batch, or if its batch left rows out on its own. The overlap policy `cancel` cancels
 * it; it then stops its batch.
 */
export async function fireSchedule({ schedule }: FireScheduleInput): Promise<FiringEnd> {
  const at = scheduledTimeOf(workflowInfo().workflowId);
  if (at === undefined) throw ApplicationFailure.nonRetryable('No schedule started this workflow.', 'NotScheduled');
  // The first execution happens when a worker picks up the task; a replay sees the same time.
  const waitedMs = Date.now() - workflowInfo().startTime.getTime();
  // Not cancellable: only a firing that knows the batch can stop it, and otherwise the batch might still be run.
  const opened = await CancellationScope.nonCancellable(() => openOccurrence({ schedule, at, waitedMs }));
  if (opened.type === 'skipped') return opened;
  if (opened.type === 'refused') throw ApplicationFailure.nonRetryable(opened.reason, 'OccurrenceRefused');
  const isStarting = !opened.isClosed && !CancellationScope.current().consideredCancelled;
  const news = new BatchNews();
  if (isStarting) await CancellationScope.nonCancellable(() => superviseOf(opened, news));
  try {
    return await endOf(opened, { schedule }, news);
  } catch (error) {
    if (!isCancellation(error)) throw error;
    await CancellationScope.nonCancellable(async () => {
      await stopBatch(opened.batch);
      // A batch that was cancelled before it started still needs a workflow to end its rows.
      if (!opened.isClosed && !isStarting) await superviseOf(opened, news);
      await wake(opened);
      await endOf(opened, { schedule }, news);
    });
    throw error;
  }
}

// A firing runs as long as its batch, which may outlive a version of the workers, so any version may continue it.
setWorkflowOptions(withAnyVersion, fireSchedule);

/** Follows the batch's workflow, if it is a child of this firing. */
class BatchNews {
  /** True while the batch's workflow will notify this firing of its end. */
  isTold = false;
  /** True once that workflow has ended, and so probably the batch. */
  isOver = false;

  follow(child: Promise<unknown>): void {
    this.isTold = true;
    const end = (): void => {
      this.isTold = false;
      this.isOver = true;
    };
    child.then(end, end);
  }
}

/** Starts the workflow of the batch, unless it has been started already. */
async function superviseOf({ batch, workflowId }: OpenedOccurrence, news: BatchNews): Promise<void> {
  const supervised: SuperviseBatchInput = { batch };
  try {
    const child = await startChild(SUPERVISE_BATCH, {
      workflowId,
      args: [supervised],
      workflowIdReusePolicy: 'ALLOW_DUPLICATE',
      workflowTaskTimeout: WORKFLOW_TASK_TIMEOUT,
      parentClosePolicy: ParentClosePolicy.ABANDON,
      cancellationType: ChildWorkflowCancellationType.ABANDON,
      ...batchLabels(batch),
    });
    news.follow(child.result());
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
  }
}

/** Waits for the batch to end. Uses a workflow timer, which occupies no activity slot. */
async function endOf(opened: OpenedOccurrence, input: FireScheduleInput, news: BatchNews): Promise<OccurrenceEnd> {
  for (let looks = 0; ; looks++) {
    const end = await awaitOccurrence(opened.batch);
    if (end.type === 'ended') {
      const verdict = occurrenceVerdict(opened.batch, end);
      if (verdict.type === 'ended') return end;
      throw ApplicationFailure.nonRetryable(verdict.reason, 'OccurrenceFailed');
    }
    if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof fireSchedule>(input);
    // Earlier versions waited inside the activity, for up to an hour.
    if (!patched('firing-waits')) continue;
    const { isTold } = news;
    if (await condition(() => news.isOver, endCheckPauseMs(looks, isTold))) news.isOver = false;
    if (isTold !== news.isTold) looks = 0;
  }
}

async function wake({ workflowId }: OpenedOccurrence): Promise<void> {
  try {
    await getExternalWorkflowHandle(workflowId).signal(WAKE_UP_SIGNAL);
  } catch {
    // It has ended meanwhile; a new workflow for the batch will read the request from the ledger.
  }
}
