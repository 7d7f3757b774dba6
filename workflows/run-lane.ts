import {
  allHandlersFinished,
  condition,
  continueAsNew,
  defineSignal,
  isCancellation,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import type { AttemptKey, Move, RowAttempt, SubmitReport } from '../contract/batch.ts';
import { CONTROL_SIGNAL } from '../contract/messages.ts';
import type { Control } from '../contract/outcomes.ts';
import { awaitAndFetch, claimRows, reconcile, submit } from './activities.ts';
import { sliceLength } from './policy/looks.ts';
import { claimSize, type LaneShare } from './policy/window.ts';

/** A lane's state: what it starts with, and what it passes on when it continues as new. Row numbers and small words only. */
export interface LaneInput extends LaneShare {
  readonly batch: string;
  /** The run of the batch that this lane belongs to; part of every claim. */
  readonly run: string;
  readonly lane: number;
  readonly control: Control;
  /** Continue as new after this many events; null: when the server suggests it. */
  readonly continueAfterEvents: number | null;
  /** Claims made so far. */
  readonly claims: number;
  /** No unclaimed row is left. */
  readonly exhausted: boolean;
  /** Attempts to make. */
  readonly ready: readonly RowAttempt[];
  /** Attempts whose jobs run. */
  readonly waiting: readonly RowAttempt[];
}

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
 * Near the end of its history the lane drains (no new claims or submits; what is out comes back) and continues as new with
 * its rows.
 */
export async function runLane(input: LaneInput): Promise<void> {
  const ready: RowAttempt[] = [...input.ready];
  const waiting = new Map<number, RowAttempt>(input.waiting.map((at) => [at.row, at]));
  let { control, claims, exhausted } = input;
  let signals = 0;
  let submitting = 0;
  let waitingNow = false;
  let claiming = false;
  let fail: (error: unknown) => void = () => undefined;
  const failed = new Promise<never>((_, reject) => {
    fail = reject;
  });

  setHandler(defineSignal<[Control]>(CONTROL_SIGNAL), (now) => {
    signals += 1;
    control = now;
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
  const room = (): number => claimSize(input.window, toSend() + submitting + waiting.size, control !== 'paused');
  const nothingOut = (): boolean => submitting === 0 && !claiming && !waitingNow;
  const noMoreRows = (): boolean => exhausted && toSend() === 0;
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

  /** Makes an attempt. A lost one is settled by the ledger: whether anything was sent is for it to say. */
  const submitOrReconcile = async (key: AttemptKey): Promise<SubmitReport> => {
    try {
      return await submit(key);
    } catch (error) {
      if (isCancellation(error)) throw error;
      return await reconcile(key);
    }
  };

  /** Starts an activity for an attempt and follows its report; its failure is the lane's failure. */
  const launch = (at: RowAttempt, act: (key: AttemptKey) => Promise<SubmitReport>): void => {
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
      await condition(() => isOver() || (mayClaim() && room() > 0));
      if (isOver()) return;
      claiming = true;
      claims += 1;
      const signalsBefore = signals;
      const { batch, run, lane } = input;
      const reply = await claimRows({ batch, run, lane, claim: claims, limit: room() });
      claiming = false;
      exhausted = reply.exhausted;
      if (signals === signalsBefore) control = reply.control;
      for (const row of reply.rows) follow(row.next);
    }
  };

  const submitLoop = async (): Promise<void> => {
    for (;;) {
      await condition(() => isOver() || (maySubmit() && ready.length > 0 && submitting < input.submits));
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
      const { settled } = await awaitAndFetch({ batch: input.batch, rows, sliceMs: sliceLength(busy) });
      waitingNow = false;
      for (const { row, next } of settled) {
        waiting.delete(row);
        follow(next);
      }
      draining ||= isFull();
    }
  };

  const drainLoop = async (): Promise<void> => {
    await condition(() => isOver() || draining || isFull());
    draining = true;
  };

  await Promise.race([failed, Promise.all([claimLoop(), submitLoop(), waitLoop(), drainLoop()])]);
  await condition(allHandlersFinished);
  if (noMoreRows() && waiting.size === 0) return;
  await continueAsNew<typeof runLane>({ ...input, control, claims, exhausted, ready, waiting: [...waiting.values()] });
}
