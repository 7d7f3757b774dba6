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
  startChild,
  workflowInfo,
} from '@temporalio/workflow';
import type { OccurrenceEnd, OccurrenceStart } from '../contract/activities.ts';
import {
  SUPERVISE_BATCH,
  WAKE_UP_SIGNAL,
  WORKFLOW_TASK_TIMEOUT,
  type SuperviseBatchInput,
} from '../contract/messages.ts';
import type { FireScheduleInput } from '../contract/schedule.ts';
import { scheduledTimeOf } from '../policy/schedules/occurrence.ts';
import { endingOf, lookPauseMs } from '../policy/schedules/occurrence-end.ts';
import { awaitOccurrence, openOccurrence, stopBatch } from './activities.ts';

type OpenedOccurrence = Extract<OccurrenceStart, { readonly type: 'opened' }>;

/** How a firing ended that did not fail. */
type FiringEnd = OccurrenceEnd | Exclude<OccurrenceStart, OpenedOccurrence>;

/**
 * One firing of a schedule: makes the current manifest the batch of this occurrence, has it worked on, and lasts as
 * long as that batch, because the schedule's overlap policy looks at this workflow. It reads its scheduled time from
 * its own id.
 *
 * The batch has its own workflow, as every batch has, under the usual id. So `run`, `status` and `stop` treat it like
 * any other, and it outlives a firing that somebody terminates. The ledger says when the batch has ended, not that
 * workflow: another one may have replaced it by then. Its end is only when to look.
 *
 * A firing fails if it made no batch, or if its batch left rows out by itself. The overlap policy `cancel` cancels it;
 * it then stops its batch.
 */
export async function fireSchedule({ schedule }: FireScheduleInput): Promise<FiringEnd> {
  const at = scheduledTimeOf(workflowInfo().workflowId);
  if (at === undefined) throw ApplicationFailure.nonRetryable('No schedule started this workflow.', 'NotScheduled');
  // The first time that this runs is when a worker takes it; a replay sees the same time.
  const waitedMs = Date.now() - workflowInfo().startTime.getTime();
  // To its end, even if it is cancelled meanwhile: only who knows the batch can stop it, and somebody else would have it worked on.
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
      // A batch that was cancelled before its work began still needs somebody who ends its rows.
      if (!opened.isClosed && !isStarting) await superviseOf(opened, news);
      await wake(opened);
      await endOf(opened, { schedule }, news);
    });
    throw error;
  }
}

/** What the workflow of the batch tells, if it is a child of this firing. */
class BatchNews {
  /** Somebody is there to tell of the end. */
  isTold = false;
  /** That workflow is over, so the batch probably is. */
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
    });
    news.follow(child.result());
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
  }
}

/** Waits for the end of the batch: by a timer, in a workflow, which costs nobody a place to work in. */
async function endOf(opened: OpenedOccurrence, input: FireScheduleInput, news: BatchNews): Promise<OccurrenceEnd> {
  for (let looks = 0; ; looks++) {
    const end = await awaitOccurrence(opened.batch);
    if (end.type === 'ended') {
      const verdict = endingOf(opened.batch, end);
      if (verdict.type === 'ended') return end;
      throw ApplicationFailure.nonRetryable(verdict.reason, 'OccurrenceFailed');
    }
    if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof fireSchedule>(input);
    // The activity itself used to wait, for an hour.
    if (!patched('firing-waits')) continue;
    const { isTold } = news;
    if (await condition(() => news.isOver, lookPauseMs(looks, isTold))) news.isOver = false;
    if (isTold !== news.isTold) looks = 0;
  }
}

async function wake({ workflowId }: OpenedOccurrence): Promise<void> {
  try {
    await getExternalWorkflowHandle(workflowId).signal(WAKE_UP_SIGNAL);
  } catch {
    // It has ended meanwhile; whoever looks after the batch starts another, which reads the wish.
  }
}
