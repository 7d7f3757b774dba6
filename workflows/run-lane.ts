import {
  allHandlersFinished,
  condition,
  continueAsNew,
  defineSignal,
  patched,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import type { HeldAttempt, Move, RowAttempt, SubmitReport } from '../contract/batch.ts';
import { CONTROL_SIGNAL } from '../contract/messages.ts';
import type { Control } from '../contract/outcomes.ts';
import { awaitAndFetch, claimRows, reconcile, submitOrReconcile } from './activities.ts';
import type { LaneInput } from './lane-input.ts';
import { sliceLength } from './policy/looks.ts';
import { askPauseMs } from './policy/rounds.ts';
import { claimSize, type LaneShare } from './policy/window.ts';

/** Lanes of before took what a claim said as the last word, whatever had come while it was made. */
const CLAIM_AFTER_NEWS = 'claim-after-news';

/**
 * One share of a batch's rows in flight. Three loops work on one state:
 *
 * - *claim* takes new rows from the ledger while the window has room;
 * - *submit* makes attempts, a bounded number at once, and reconciles the ones that were lost;
 * - *wait* lets one activity after another poll and fetch for all rows whose jobs run.
 *
 * A row moves `ready → (submit) → waiting → (wait) → ready` for the next step of a chain, or leaves. What each report
 * means for the row was decided by the row machine in the activity, where the ledger is; the lane only follows it.
 *
 * `held`: the user paused the batch, or it paused itself. A submit that finds the batch paused comes back as `held` with
 * what holds now. If no signal has come since that submit was made, the news is fresh and the lane waits for the next
 * signal; if one has come, the news may be older than the signal, so the row simply tries again.
 *
 * Each piece of news brings the lane's share of the limits as they are now. It may also mean that ended rows were opened again
 * (a redrive), so the lane claims once more, also if there was nothing left, and also if it has no room: a row whose job runs needs
 * none. Each claim says what the batch may do, and so does each slice of waiting, for a batch can change by itself (a halt).
 *
 * News may be missed all the same: a wish that was written while nobody was there to be told, a halt that another lane's row
 * caused. A lane that only waits for news asks the ledger now and then.
 *
 * Near the end of its history the lane drains (no new claims or submits; what is out comes back) and continues as new with
 * its rows.
 */
export async function runLane(input: LaneInput): Promise<void> {
  const ready: RowAttempt[] = [...input.ready];
  const waiting = new Map<number, RowAttempt>(input.waiting.map((at) => [at.row, at]));
  let { control, claims, exhausted } = input;
  let share: LaneShare = { window: input.window, submits: input.submits };
  let signals = 0;
  let submitting = 0;
  let waitingNow = false;
  let claiming = false;
  let asking = false;
  let fail: (error: unknown) => void = () => undefined;
  const failed = new Promise<never>((_, reject) => {
    fail = reject;
  });

  // A batch that was begun by an older version sends no share.
  setHandler(defineSignal<[Control, LaneShare?]>(CONTROL_SIGNAL), (now, newShare) => {
    signals += 1;
    control = now;
    if (newShare === undefined) return;
    share = newShare;
    exhausted = false;
    asking = input.asks === true;
  });

  const isFull = (): boolean => {
    const { historyLength, continueAsNewSuggested } = workflowInfo();
    return input.continueAfterEvents === null ? continueAsNewSuggested : historyLength >= input.continueAfterEvents;
  };
  let draining = false;
  const maySubmit = (): boolean => control === 'running' && !draining;
  // Also in a batch that is paused or stopping: rows of an earlier run may have jobs to fetch and attempts to reconcile.
  const mayClaim = (): boolean => !draining && !exhausted;
  // What a stopping batch has not sent is being cancelled: it takes no room.
  const toSend = (): number => (control === 'stopping' ? 0 : ready.length);
  // While it is paused its room does not grow, and the last row of an earlier run must fit in.
  const room = (): number => claimSize(share.window, toSend() + submitting + waiting.size, control !== 'paused');
  const nothingOut = (): boolean => submitting === 0 && !claiming && !waitingNow;
  const noMoreRows = (): boolean => exhausted && toSend() === 0;
  const isIdle = (): boolean => nothingOut() && !asking && !isOver();
  const isOver = (): boolean => (noMoreRows() && nothingOut() && waiting.size === 0) || (draining && nothingOut());

  const follow = (next: Move): void => {
    switch (next.do) {
      case 'submit':
        ready.push(next.at);
        break;
      case 'reconcile':
        launch(next.at, reconcile);
        break;
      case 'wait':
        waiting.set(next.at.row, next.at);
        break;
      case 'ended':
        break;
    }
  };

  /** Starts an activity for an attempt and follows its report; its failure is the lane's failure. */
  const launch = (at: RowAttempt, act: (key: HeldAttempt) => Promise<SubmitReport>): void => {
    submitting += 1;
    const signalsBefore = signals;
    act({ batch: input.batch, ...at })
      .then((report) => {
        submitting -= 1;
        if (report.control !== undefined && signals === signalsBefore) control = report.control;
        follow(report.next);
      })
      .catch((error: unknown) => {
        fail(error);
      });
  };

  const claimLoop = async (): Promise<void> => {
    for (;;) {
      await condition(() => isOver() || (asking && !draining) || (mayClaim() && room() > 0));
      if (isOver()) return;
      asking = false;
      claiming = true;
      claims += 1;
      const signalsBefore = signals;
      const { batch, run, lane } = input;
      const limit = room();
      const reply = await claimRows({ batch, run, lane, claim: claims, limit });
      claiming = false;
      // There may be more that need no room.
      asking ||= limit === 0 && reply.rows.length > 0;
      const isFresh = signals === signalsBefore;
      if (isFresh) control = reply.control;
      // News that came meanwhile may be of rows that this claim was too early for: one more will tell.
      exhausted = reply.exhausted && (isFresh || !patched(CLAIM_AFTER_NEWS));
      for (const row of reply.rows) follow(row.next);
    }
  };

  const submitLoop = async (): Promise<void> => {
    for (;;) {
      await condition(() => isOver() || (maySubmit() && ready.length > 0 && submitting < share.submits));
      if (isOver()) return;
      const at = ready.shift();
      if (at !== undefined) launch(at, submitOrReconcile);
    }
  };

  const waitLoop = async (): Promise<void> => {
    for (;;) {
      await condition(() => isOver() || (!draining && waiting.size > 0));
      if (isOver()) return;
      waitingNow = true;
      const busy = submitting > 0 || (maySubmit() && (ready.length > 0 || !exhausted));
      const rows = [...waiting.values()];
      const signalsBefore = signals;
      const reply = await awaitAndFetch({ batch: input.batch, rows, sliceMs: sliceLength(busy) });
      waitingNow = false;
      if (reply.control !== undefined && signals === signalsBefore) control = reply.control;
      for (const { row, next } of reply.settled) {
        waiting.delete(row);
        follow(next);
      }
      draining ||= isFull();
    }
  };

  const askLoop = async (): Promise<void> => {
    for (let asked = 0; input.asks === true && !isOver();) {
      await condition(() => isOver() || isIdle());
      const isWoken = await condition(() => !isIdle(), askPauseMs(asked));
      asked = isWoken ? 0 : asked + 1;
      asking ||= !isWoken;
    }
  };

  const drainLoop = async (): Promise<void> => {
    await condition(() => isOver() || draining || isFull());
    draining = true;
  };

  await Promise.race([failed, Promise.all([claimLoop(), submitLoop(), waitLoop(), askLoop(), drainLoop()])]);
  await condition(allHandlersFinished);
  if (noMoreRows() && waiting.size === 0) return;
  await continueAsNew<typeof runLane>({
    ...input,
    ...share,
    control,
    claims,
    exhausted,
    ready,
    waiting: [...waiting.values()],
  });
}
