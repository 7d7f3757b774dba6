import {
  allHandlersFinished,
  condition,
  defineSignal,
  defineUpdate,
  getExternalWorkflowHandle,
  setHandler,
  startChild,
  workflowInfo,
} from '@temporalio/workflow';
import { CONTROL_NEWS, CONTROL_SIGNAL, CONTROL_UPDATE, RUN_LANE, type RunBatchInput } from '../contract/messages.ts';
import { laneWorkflowId } from '../contract/names.ts';
import type { Control } from '../contract/outcomes.ts';
import { applyControl, closeBatch, openBatch } from './activities.ts';
import type { LaneInput } from './lane-input.ts';
import { roundPauseMs } from './policy/rounds.ts';
import { shareOf, type LaneShare } from './policy/window.ts';

/**
 * One batch: starts its lanes, passes the user's wishes on, waits for the lanes, and closes the batch in the ledger.
 *
 * The ledger holds what the user wants: it is written there first, and from that moment no paid request starts against it.
 * The workflow only carries the news to the lanes. Each piece of news makes it read the ledger, one after another, so the
 * lanes hear in the end what holds, however late a piece of news comes.
 *
 * News also means that rows may have been opened again. A redrive writes that to the ledger and then sends the news, starting this
 * workflow if it does not run. So before it ends, the workflow asks again whether a row is open, if any news came since it last
 * asked. The server does not let a workflow end past a signal that it has not seen, so none can be missed.
 *
 * It has at most a handful of children and few events, so it never continues as new. That matters: children would not
 * survive it.
 */
export async function runBatch(input: RunBatchInput): Promise<void> {
  const { workflowId, runId } = workflowInfo();
  let control: Control = 'running';
  let share: LaneShare = { window: 1, submits: 1 };
  let running: string[] = [];
  let turn: Promise<unknown> = Promise.resolve();
  let opened = false;
  let news = 0;

  const passOn = (): Promise<Control> => {
    news += 1;
    const mine = turn.then(async () => {
      await condition(() => opened);
      const holds = await applyControl(input.batch);
      control = holds.control;
      // A worker of an older version says nothing about the limits.
      if ('submits' in holds) share = shareOf(holds, input.lanes);
      await Promise.all(running.map((lane) => tell(lane, control, share)));
      return control;
    });
    turn = mine.catch(() => undefined);
    return mine;
  };
  setHandler(defineUpdate<Control>(CONTROL_UPDATE), passOn);
  setHandler(defineSignal(CONTROL_NEWS), async () => {
    await passOn();
  });

  const batch = await openBatch(input.batch);
  control = batch.control;
  share = shareOf(batch, input.lanes);
  opened = true;

  let open = batch.rows;
  let idle = 0;
  for (let round = 1, heard = 0; open > 0 || heard < news; round++) {
    const before = { open, heard: news };
    if (open > 0) await runLanes(`${runId}/${String(round)}`);
    heard = news;
    // A late answer can open a row again after the lanes have gone, and so can a redrive: then there is another round.
    ({ open, control } = await closeBatch(input.batch));
    if (open === 0) await condition(allHandlersFinished);
    idle = open >= before.open && news === before.heard ? idle + 1 : 0;
    const pauseMs = roundPauseMs(idle);
    if (pauseMs > 0) await condition(() => heard < news, pauseMs);
  }

  /** Works on the open rows until no lane finds anything more to do. */
  async function runLanes(run: string): Promise<void> {
    const lanes: Promise<unknown>[] = [];
    // One after another: a wish that comes in between reaches the lanes that run, and the others start with it.
    for (let lane = 1; lane <= input.lanes; lane++) {
      const id = laneWorkflowId(workflowId, lane);
      const start: LaneInput = {
        batch: input.batch,
        run,
        lane,
        ...share,
        control,
        continueAfterEvents: input.continueAfterEvents ?? null,
        claims: 0,
        exhausted: false,
        asks: true,
        ready: [],
        waiting: [],
      };
      const heard = { control, share };
      running.push(id);
      const handle = await startChild(RUN_LANE, { workflowId: id, args: [start], workflowTaskTimeout: '3s' });
      if (control !== heard.control || share !== heard.share) await tell(id, control, share);
      lanes.push(handle.result());
    }
    await Promise.all(lanes);
    running = [];
  }
}

/** A lane that has ended needs no news. */
async function tell(lane: string, control: Control, share: LaneShare): Promise<void> {
  try {
    await getExternalWorkflowHandle(lane).signal(CONTROL_SIGNAL, control, share);
  } catch {
    // Not running (yet, or any more): a new lane is started with the control that holds.
  }
}
