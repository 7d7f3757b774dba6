import { errorSummary } from '../visibility/event-facts.ts';
import type { FencedAttempt, Move } from '../../contract/batch.ts';
import type { RowSnapshot } from '../../ledger/rows/row-records.ts';
import {
  isFencedOff,
  loadAttempt,
  nextMoveFor,
  type DueRow,
  type LoadedAttempt,
  type RowProgress,
  type SubmitReport,
} from '../attempt.ts';
import { VoiceNameCheck } from '../voices/voice-name-check.ts';
import { handOverRow } from '../hand-over-row.ts';
import { observeRowEnd } from '../visibility/event-facts.ts';
import { reconcile } from '../reconcile/reconcile.ts';
import { submit } from '../submit.ts';
import { awaitJob } from '../polling/await-job.ts';
import { endRowAfterError } from './end-row-after-error.ts';
import { joinRow } from './join-row.ts';
import type { LaneContext } from './lane-context.ts';
import { EarlierResults } from './earlier-results.ts';
import { isFetchedAgain } from '../../policy/rows/row-machine.ts';
import type { Dependencies } from '../dependencies.ts';
import { waitPauseMs } from '../../policy/cache/awaited-result.ts';

/** A row ends after this many submits in one slice that failed before anything was sent. */
const MAX_FAULTS = 3;

/**
 * Works on a claimed row until it needs nothing more or the lane must stop. The row machine
 * (`policy/rows/row-machine.ts`) decides from the ledger's records what the row needs next; this function does it:
 * submit, reconcile, or wait for a job.
 *
 * A row due for sending first looks for an earlier result (`prepareToSend`), without taking a slot. It enters the
 * window when its request is to be sent, or at once if it was already begun, and stays in it through all its steps,
 * unless it has to wait for another row or for budget room. While the batch is paused, a row due for sending waits. In
 * a stopping batch its work ends, because the ledger ends the row.
 *
 * A row in parts makes no request of its own: it is claimed once all its parts have results, which are then joined.
 *
 * A worker that only downloads hands a row over once it needs anything but its result.
 *
 * An unexpected error ends the row, not the lane. Rejects only if the ledger or the store is unreachable, which is no
 * fault of the row, and ends the lane.
 */
export async function workRow(lane: LaneContext, claimed: RowSnapshot): Promise<void> {
  const { deps, batch } = lane;
  const ended = await (claimed.row.parts === null ? workToEnd(lane, claimed) : joinRow(deps, batch, claimed));
  if (ended !== undefined && !isFencedOff(claimed.row, ended.row)) observeRowEnd(deps, batch, ended.row);
}

/** Returns the row's snapshot once it needs nothing more; undefined if it is not known here. */
async function workToEnd(lane: LaneContext, claimed: RowSnapshot): Promise<RowSnapshot | undefined> {
  const { deps, batch } = lane;
  let now: RowProgress = { next: nextMoveFor(claimed.row, claimed), snapshot: claimed };
  const results = new EarlierResults(deps, batch);
  const work: RowWork = { lane, results, nameCheck: new VoiceNameCheck(deps), faults: [] };
  while (now.next.type !== 'ended' && !lane.signal.aborted) {
    if (deps.only === 'download' && now.next.type !== 'wait') {
      await handOverRow(deps, { batch, ...now.next.at }, { isToFetch: false });
      return undefined;
    }
    const hasWaited = now.deferral === 'short';
    now = await prepare(work, now);
    if (now.next.type !== 'ended') now = await workInWindow(work, now);
    // The row no longer waits for budget room, for instance because it found an earlier result.
    if (hasWaited && now.deferral !== 'short') deps.budgetQueue.letNextCheck(batch);
  }
  return now.snapshot;
}

/** What the work on one row keeps between its steps. */
interface RowWork {
  readonly lane: LaneContext;
  readonly results: EarlierResults;
  /** Checks whether the name of a voice to create is free; undefined results for other rows. */
  readonly nameCheck: VoiceNameCheck;
  /** Errors of its submits in this slice. */
  readonly faults: unknown[];
}

/** Prepares a row due for sending (see {@link prepareToSend}); other rows need no preparation. */
async function prepare({ lane, results }: RowWork, now: RowProgress): Promise<RowProgress> {
  const { next } = now;
  if (next.type !== 'submit') return now;
  try {
    return await prepareToSend(lane, results, now);
  } catch (error) {
    return endRowAfterError(lane, { batch: lane.batch, ...next.at }, error);
  }
}

/** Takes all steps up to the row's end, or until its request is deferred, holding a slot of the window. */
async function workInWindow(work: RowWork, entered: RowProgress): Promise<RowProgress> {
  const { window, signal, share } = work.lane;
  if (entered.next.type === 'submit') await window.enter();
  else window.force();
  let now: RowProgress = entered;
  try {
    do {
      if (now.next.type === 'ended' || signal.aborted) return now;
      if (share.hasHandedBack(now.next.at)) return { next: { type: 'ended' } };
      now = await takeStep(work, now.next, now.snapshot);
      // The row's next request is another worker's duty.
      if (work.lane.deps.only === 'download') return now;
    } while (now.deferral === undefined);
    return now;
  } finally {
    if (now.deferral === 'released') window.leaveLater();
    else window.leave();
  }
}

/** Takes one step: submits, reconciles, or waits for the job. */
async function takeStep(
  work: RowWork,
  next: Exclude<Move, { type: 'ended' }>,
  snapshot: RowSnapshot | undefined,
): Promise<RowProgress> {
  const { lane } = work;
  const { deps, signal } = lane;
  const key: FencedAttempt = { batch: lane.batch, ...next.at };
  try {
    switch (next.type) {
      case 'submit':
        if (!(await lane.monitor.waitUntilRunning())) return { next: { type: 'ended' } };
        return await submitOrReconcile(work, key, snapshot);
      case 'reconcile':
        return await reconcile(deps, key, signal);
      case 'wait': {
        const loaded = await loadAttempt(deps, key, snapshot);
        const copied = await copyLost(deps, key, loaded);
        if (copied !== undefined) return { next: nextMoveFor(key, copied), snapshot: copied };
        return await awaitJob(deps, key, loaded, lane);
      }
    }
  } catch (error) {
    return endRowAfterError(lane, key, error);
  }
}

/**
 * Submits an attempt. If that throws, reconcile settles the attempt, because only the ledger knows whether anything was
 * sent; if nothing was, the next attempt may follow. Throws after too many such errors, which would otherwise repeat
 * forever.
 */
async function submitOrReconcile(
  { lane: { deps, signal, share }, results, nameCheck, faults }: RowWork,
  key: FencedAttempt,
  known: RowSnapshot | undefined,
): Promise<SubmitReport> {
  try {
    const snapshot = known ?? (await deps.ledger.readRow(key.batch, key.row));
    const terms = snapshot === undefined ? {} : await results.termsOf({ key, snapshot });
    const isHeld = (): boolean => !share.hasHandedBack(key);
    return await submit(deps, key, signal, { known: snapshot, terms, nameCheck, isHeld });
  } catch (error) {
    if (signal.aborted) throw error;
    deps.observe({ type: 'note', what: 'submit-failed', ...key, error: errorSummary(error) });
    const report = await reconcile(deps, key, signal);
    if (report.next.type === 'submit' && faults.push(error) >= MAX_FAULTS) throw error;
    return report;
  }
}

/**
 * Restores the lost file of an attempt from an equal row that has the same file. That works even if the API has
 * forgotten the job. Returns the row's snapshot; undefined if the attempt has lost no file, or no equal row has it.
 */
async function copyLost(
  { ledger, store }: Pick<Dependencies, 'ledger' | 'store'>,
  key: FencedAttempt,
  { charge }: Pick<LoadedAttempt, 'charge'>,
): Promise<RowSnapshot | undefined> {
  if (charge?.file == null || charge.resultKey === null || !isFetchedAgain(charge)) return undefined;
  const { sha256, extension, key: path } = charge.file;
  const stem = path.slice(0, -`.${extension}`.length);
  for (const { file } of await ledger.findResults([charge.resultKey])) {
    if (file.sha256 !== sha256) continue;
    const copy = await store.reuse(file, stem);
    if (copy.type === 'reused')
      return ledger.finishJob(key, { file: copy.file }, { outcome: 'succeeded', file: copy.file });
  }
  return undefined;
}

/**
 * Prepares a row due for sending before it enters the window: reuses the earlier results that exist. If its request was
 * deferred, it first waits for the other row's result or for budget room. It waits outside every limit, so that it
 * never blocks the row it waits for.
 */
async function prepareToSend(lane: LaneContext, results: EarlierResults, now: RowProgress): Promise<RowProgress> {
  if (now.next.type !== 'submit') return now;
  if (now.deferral === 'short' && !(await lane.beforeWindow.countDuring('short', () => awaitRoom(lane))))
    return { next: { type: 'ended' } };
  if (!(await results.usesEarlier())) return now;
  const key: FencedAttempt = { batch: lane.batch, ...now.next.at };
  const snapshot = now.snapshot ?? (await lane.deps.ledger.readRow(key.batch, key.row));
  if (snapshot === undefined) return { next: { type: 'ended' } };
  const due = { key, snapshot };
  if (now.deferral === 'awaited') {
    const isDue = await lane.beforeWindow.countDuring('awaiting', () => awaitResult(lane, results, due));
    if (!isDue) return { next: { type: 'ended' } };
  }
  if (!(await lane.monitor.waitUntilRunning())) return { next: { type: 'ended' } };
  return lane.beforeWindow.countDuring('looking-up', () => results.use(due));
}

/** Waits for the row's turn to check for budget room. Returns false if the batch stops; rejects if the lane ends. */
async function awaitRoom({ deps, batch, monitor, signal }: LaneContext): Promise<boolean> {
  await deps.budgetQueue.waitForTurn(batch, signal);
  return monitor.waitUntilRunning();
}

/**
 * Waits until another row's request has brought the result, or no such request is worth waiting for any more. Returns
 * false if the lane ends or the batch stops.
 */
async function awaitResult(
  { deps, wakeUps, monitor, beforeWindow }: LaneContext,
  results: EarlierResults,
  due: DueRow,
): Promise<boolean> {
  const { resultKey } = await results.termsOf(due);
  if (resultKey === undefined) return true;
  for (let reads = 0; ; reads++) {
    await wakeUps.sleep(waitPauseMs(reads, beforeWindow.awaiting, Math.random()));
    if (!(await monitor.waitUntilRunning())) return false;
    const { attempts } = results.passedOver;
    const { results: found, by } = await deps.ledger.findReusable(due.key, resultKey, attempts);
    if (found.length > 0 || by === undefined) return true;
    results.passedOver.add(by, deps.clock.now().monotonic);
  }
}
