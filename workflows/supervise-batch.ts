import { condition, continueAsNew, defineSignal, setHandler, workflowInfo } from '@temporalio/workflow';
import { WAKE_UP_SIGNAL, type SuperviseBatchInput } from '../contract/messages.ts';
import { surveyBatch, workLane } from './activities.ts';
import { askPauseMs, roundPauseMs } from '../policy/rounds.ts';

/**
 * One batch: keeps as many lanes at work as there are workers for, until no row is open.
 *
 * It knows no rows. The ledger holds them, and what the user wants of the batch; lanes read both. So this is a loop of three
 * steps: it surveys the batch, offers the lanes that nobody works on, and sleeps until it is woken, a lane comes back idle, or (where
 * no lane has anything to do) it is time to look again. Looks become ever rarer, for a batch may be paused for days.
 *
 * A wake-up may mean anything: a wish, rows that were opened again, a worker that joined. It is never lost: the server does not let a
 * workflow end past a signal that it has not seen, and a survey that began before a wake-up is followed by another.
 *
 * Near the end of its history it offers no more lanes, and continues as new when the last one has come back; a slice takes minutes.
 */
export async function superviseBatch(input: SuperviseBatchInput): Promise<void> {
  const { batch, continueAfterEvents } = input;
  const run = workflowInfo().firstExecutionRunId;
  const lanes = new Set<number>();
  let wakeUps = 0;
  let returns = 0;
  setHandler(defineSignal(WAKE_UP_SIGNAL), () => {
    wakeUps += 1;
  });

  const isFull = (): boolean => {
    const { historyLength, continueAsNewSuggested } = workflowInfo();
    return continueAfterEvents === undefined ? continueAsNewSuggested : historyLength >= continueAfterEvents;
  };

  /** Offers a lane again and again, as long as there is work for it. */
  const keep = async (lane: number, wanted: () => number): Promise<void> => {
    lanes.add(lane);
    try {
      while (lane <= wanted() && !isFull()) {
        const { then } = await workLane({ batch, lane, lanes: wanted(), run });
        if (then === 'idle') break;
      }
    } finally {
      lanes.delete(lane);
      returns += 1;
    }
  };

  let wanted = 0;
  let failure: unknown;
  const heard = { wakeUps: 0, returns: 0 };
  const isDue = (): boolean => wakeUps !== heard.wakeUps || returns !== heard.returns || failure !== undefined;
  for (let stalled = 0, before = Infinity; ;) {
    stalled = wakeUps === heard.wakeUps ? stalled + 1 : 0;
    Object.assign(heard, { wakeUps, returns });
    const { open, lanes: useful } = await surveyBatch(batch);
    if (open === 0 && lanes.size === 0 && !isDue()) return;
    if (isFull() && lanes.size === 0) await continueAsNew<typeof superviseBatch>(input);
    if (open < before) stalled = 0;
    before = open;

    if (lanes.size === 0) {
      const pauseMs = useful === 0 ? askPauseMs(stalled) : roundPauseMs(stalled);
      if (pauseMs > 0) await condition(() => wakeUps !== heard.wakeUps, pauseMs);
      if (useful === 0) continue;
    }
    // Full after a pause that no wake-up ended: then nothing is offered below, so there is nothing to wait for.
    if (isFull() && lanes.size === 0) continue;
    wanted = useful;
    for (let lane = 1; lane <= wanted && !isFull(); lane++) {
      if (lanes.has(lane)) continue;
      keep(lane, () => wanted).catch((error: unknown) => {
        failure ??= error;
      });
    }
    await condition(isDue);
    if (failure !== undefined) throw failure as Error;
  }
}
