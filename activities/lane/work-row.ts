import type { FencedAttempt, Move } from '../../contract/batch.ts';
import { LedgerUnreachable } from '../../ledger/errors.ts';
import type { RowStanding } from '../../ledger/record-types.ts';
import { StoreUnwritable } from '../../store/errors.ts';
import { loadAttempt, moveAfter, type RowNow, type SubmitReport } from '../attempt.ts';
import type { Dependencies } from '../dependencies.ts';
import type { Window } from '../in-flight-limits.ts';
import { reconcile } from '../reconcile.ts';
import { submit } from '../submit.ts';
import { awaitJob } from './await-job.ts';
import { endFaulty } from './end-faulty.ts';
import type { Steering } from './steering.ts';
import type { WakeUps } from './wake-ups.ts';

/** What all rows of one lane share. */
export interface LaneWork {
  readonly deps: Dependencies;
  readonly batch: string;
  /** Aborts when the lane must end, for whatever reason. What is in flight is still brought home. */
  readonly signal: AbortSignal;
  readonly wakeUps: WakeUps;
  readonly window: Window;
  readonly steering: Steering;
}

/** A row is ended after this many submits in one lane that failed before anything was sent. */
const MOST_FAULTS = 3;

/**
 * Takes a row from its state in the ledger to where it needs nothing more, or as far as the lane may go. The row
 * machine decides what each report means for the row; this only follows it.
 *
 * A row enters the window when it is to be sent, or at once if it was begun before, and stays in it through all its
 * steps. While the batch is paused, a row that is to be sent waits; in a stopping batch it is given up, because the
 * ledger ends it.
 *
 * An unexpected error ends the row with its cause, not the lane. Only an unreachable ledger or store is the lane's
 * business: it is no row's fault.
 */
export async function workRow(lane: LaneWork, claimed: RowStanding): Promise<void> {
  let now: RowNow = { next: moveAfter(claimed.row, claimed), standing: claimed };
  if (now.next.type === 'ended') return;
  if (now.next.type === 'submit') await lane.window.enter();
  else lane.window.force();
  try {
    const faults: unknown[] = [];
    while (now.next.type !== 'ended' && !lane.signal.aborted) now = await step(lane, now.next, now.standing, faults);
  } finally {
    lane.window.leave();
  }
}

async function step(
  lane: LaneWork,
  next: Exclude<Move, { type: 'ended' }>,
  standing: RowStanding | undefined,
  faults: unknown[],
): Promise<RowNow> {
  const { deps, signal } = lane;
  const key: FencedAttempt = { batch: lane.batch, ...next.at };
  try {
    switch (next.type) {
      case 'submit':
        if (!(await lane.steering.mayPay())) return { next: { type: 'ended' } };
        return await submitOrReconcile(lane, key, standing, faults);
      case 'reconcile':
        return await reconcile(deps, key, signal);
      case 'wait':
        return await awaitJob(deps, key, await loadAttempt(deps, key, standing), lane);
    }
  } catch (error) {
    if (signal.aborted) return { next: { type: 'ended' } };
    if (error instanceof LedgerUnreachable || error instanceof StoreUnwritable) throw error;
    return { next: await endFaulty(deps, key, error) };
  }
}

/**
 * Makes an attempt. If its report is lost, the ledger settles it: only the ledger can say whether anything was sent. If
 * nothing was, the next attempt may be made. Throws if that failed too often, because such attempts would follow each
 * other for ever.
 */
async function submitOrReconcile(
  { deps, signal }: LaneWork,
  key: FencedAttempt,
  standing: RowStanding | undefined,
  faults: unknown[],
): Promise<SubmitReport> {
  try {
    return await submit(deps, key, signal, standing);
  } catch (error) {
    if (signal.aborted) throw error;
    deps.log.warn({ ...key, error: error instanceof Error ? error.message : '' }, 'a submit failed; it is reconciled');
    const report = await reconcile(deps, key, signal);
    if (report.next.type === 'submit' && faults.push(error) >= MOST_FAULTS) throw error;
    return report;
  }
}
