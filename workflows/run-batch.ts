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
import { shareOf } from './policy/window.ts';
import type { LaneInput } from './run-lane.ts';

/**
 * One batch: starts its lanes, passes the user's wishes on, waits for the lanes, and closes the batch in the ledger.
 *
 * The ledger holds what the user wants: it is written there first, and from that moment no paid request starts against it.
 * The workflow only carries the news to the lanes. Each piece of news makes it read the ledger, one after another, so the
 * lanes hear in the end what holds, however late a piece of news comes.
 *
 * It has at most a handful of children and few events, so it never continues as new. That matters: children would not
 * survive it.
 */
export async function runBatch(input: RunBatchInput): Promise<void> {
  const { workflowId, runId } = workflowInfo();
  let control: Control = 'running';
  let running: string[] = [];
  let turn: Promise<unknown> = Promise.resolve();
  let opened = false;

  const passOn = (): Promise<Control> => {
    const mine = turn.then(async () => {
      await condition(() => opened);
      ({ control } = await applyControl(input.batch));
      await Promise.all(running.map((lane) => tell(lane, control)));
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
  opened = true;
  const share = shareOf(batch, input.lanes);

  for (let round = 1, open = batch.rows; open > 0; round++) {
    // One after another: a wish that comes in between reaches the lanes that run, and the others start with it.
    const lanes: Promise<unknown>[] = [];
    for (let lane = 1; lane <= input.lanes; lane++) {
      const id = laneWorkflowId(workflowId, lane);
      const start: LaneInput = {
        batch: input.batch,
        run: `${runId}/${round}`,
        lane,
        ...share,
        control,
        continueAfterEvents: input.continueAfterEvents ?? null,
        claims: 0,
        exhausted: false,
        ready: [],
        waiting: [],
      };
      running.push(id);
      const handle = await startChild(RUN_LANE, { workflowId: id, args: [start], workflowTaskTimeout: '3s' });
      if (control !== start.control) await tell(id, control);
      lanes.push(handle.result());
    }
    await Promise.all(lanes);
    running = [];
    // A late answer can open a row again after the lanes have gone: then there is another round.
    ({ open, control } = await closeBatch(input.batch));
  }
  await condition(allHandlersFinished);
}

/** A lane that has ended needs no news. */
async function tell(lane: string, control: Control): Promise<void> {
  try {
    await getExternalWorkflowHandle(lane).signal(CONTROL_SIGNAL, control);
  } catch {
    // Not running (yet, or any more): a new lane is started with the control that holds.
  }
}
