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
import { awaitJob } from './await-job.ts';
import { endRowAfterError } from './end-row-after-error.ts';
import { joinRow } from './join-row.ts';
import type { LaneContext } from './lane-context.ts';
import { EarlierResults } from './earlier-results.ts';
import { isFetchedAgain } from '../../policy/rows/row-machine.ts';
import type { Dependencies } from '../dependencies.ts';
import { waitPauseMs } from '../../policy/cache/awaited-result.ts';

/** Ends a row after this many submits in one lane that failed before anything was sent. */
const MOST_FAULTS = 3;

/**
 * Works on a row, starting from its state in the ledger, until it needs nothing more or the lane must stop. The row
 * machine decides what each report means for the row; this only follows it.
 *
 * A row due for sending first looks for an earlier result (`prepareToSend`), without taking a slot. It enters the
 * window when its request is to be sent, or at once if it was already begun, and stays in it through all its steps,
 * unless it has to wait for another row or for budget room. While the batch is paused, a row due for sending waits. In
 * a stopping batch its work ends, because the ledger ends the row.
 *
 * A row in parts makes no request: it is claimed once all its parts have their results, which are joined.
 *
 * A worker that only downloads gives a row back once it needs anything but its result.
 *
 * An unexpected error ends the row with its cause, not the lane. Only an unreachable ledger or store ends the lane: it
 * is no row's fault.
 */
export async function workRow(lane: LaneContext, claimed: RowSnapshot): Promise<void> {
  const { deps, batch } = lane;
  const ended = await (claimed.row.parts === null ? workToEnd(lane, claimed) : joinRow(deps, batch, claimed));
  if (ended !== undefined && !isFencedOff(claimed.row, ended.row)) observeRowEnd(deps, batch, ended.row);
}

/** Returns the row as it is once it needs nothing more; undefined if that is not known here. */
async function workToEnd(lane: LaneContext, claimed: RowSnapshot): Promise<RowSnapshot | undefined> {
  const { deps, batch } = lane;
  let now: RowProgress = { next: nextMoveFor(claimed.row, claimed), snapshot: claimed };
  const work: RowWork = { lane, results: new EarlierResults(deps, batch), name: new VoiceNameCheck(deps), faults: [] };
  while (now.next.type !== 'ended' && !lane.signal.aborted) {
    if (deps.only === 'download' && now.next.type !== 'wait') {
      await handOverRow(deps, { batch, ...now.next.at }, { isToFetch: false });
      return undefined;
    }
    const hasWaited = now.deferral === 'short';
    now = await prepare(work, now);
    if (now.next.type !== 'ended') now = await workInWindow(work, now);
    // Whatever the outcome: a row that found an earlier result, for instance, no longer asks for room.
    if (hasWaited && now.deferral !== 'short') deps.budgetQueue.passed(batch);
  }
  return now.snapshot;
}

/** What the steps of one row share. */
interface RowWork {
  readonly lane: LaneContext;
  readonly results: EarlierResults;
  readonly name: VoiceNameCheck;
  /** Errors of submits in this lane. */
  readonly faults: unknown[];
}

/** Before the window: a row that is due looks for earlier results, and waits for room if there was none. */
async function prepare({ lane, results }: RowWork, now: RowProgress): Promise<RowProgress> {
  const { next } = now;
  if (next.type !== 'submit') return now;
  try {
    return await prepareToSend(lane, results, now);
  } catch (error) {
    return endRowAfterError(lane, { batch: lane.batch, ...next.at }, error);
  }
}

/** All steps up to the row's end, or until its request is not to be made for now. */
async function workInWindow(work: RowWork, entered: RowProgress): Promise<RowProgress> {
  const { window, signal, share } = work.lane;
  if (entered.next.type === 'submit') await window.enter();
  else window.force();
  let now: RowProgress = entered;
  try {
    do {
      if (now.next.type === 'ended' || signal.aborted) return now;
      if (share.hasHandedBack(now.next.at)) return { next: { type: 'ended' } };
      now = await step(work, now.next, now.snapshot);
      // Its next request is for another worker.
      if (work.lane.deps.only === 'download') return now;
    } while (now.deferral === undefined);
    return now;
  } finally {
    if (now.deferral === 'released') window.leaveLater();
    else window.leave();
  }
}

async function step(
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
 * Makes an attempt. If its report is lost, the ledger settles it, because only the ledger can say whether anything was
 * sent. If nothing was, the next attempt may follow. Throws after too many such failures, which would otherwise repeat
 * forever.
 */
async function submitOrReconcile(
  { lane: { deps, signal, share }, results, name, faults }: RowWork,
  key: FencedAttempt,
  known: RowSnapshot | undefined,
): Promise<SubmitReport> {
  try {
    const snapshot = known ?? (await deps.ledger.readRow(key.batch, key.row));
    const terms = snapshot === undefined ? {} : await results.termsOf({ key, snapshot });
    const isHeld = (): boolean => !share.hasHandedBack(key);
    return await submit(deps, key, signal, { known: snapshot, terms, name, isHeld });
  } catch (error) {
    if (signal.aborted) throw error;
    deps.observe({ type: 'note', what: 'submit-failed', ...key, error: errorSummary(error) });
    const report = await reconcile(deps, key, signal);
    if (report.next.type === 'submit' && faults.push(error) >= MOST_FAULTS) throw error;
    return report;
  }
}

/**
 * Restores an attempt's lost file from an equal row, if the store has one, which works even if the API has forgotten
 * the job. Returns the row's state; undefined if the attempt has lost no file, or no equal row has it.
 */
async function copyLost(
  { ledger, store }: Pick<Dependencies, 'ledger' | 'store'>,
  key: FencedAttempt,
  { charge }: Pick<LoadedAttempt, 'charge'>,
): Promise<RowSnapshot | undefined> {
  if (charge?.file == null || charge.resultKey === null || !isFetchedAgain(charge)) return undefined;
  const { sha256, extension, key: place } = charge.file;
  const stem = place.slice(0, -`.${extension}`.length);
  for (const { file } of await ledger.findResults([charge.resultKey])) {
    if (file.sha256 !== sha256) continue;
    const copy = await store.reuse(file, stem);
    if (copy.type === 'reused')
      return ledger.finishJob(key, { file: copy.file }, { outcome: 'succeeded', file: copy.file });
  }
  return undefined;
}

/**
 * Prepares a row due for sending before it enters the window: reuses the earlier results that exist. If the request is
 * deferred (`deferral`), waits for the other row's result or for budget room outside every limit, so that a waiting row
 * never blocks the row it waits for.
 */
async function prepareToSend(lane: LaneContext, results: EarlierResults, now: RowProgress): Promise<RowProgress> {
  if (now.next.type !== 'submit') return now;
  if (now.deferral === 'short' && !(await lane.beforeWindow.while('short', () => awaitRoom(lane))))
    return { next: { type: 'ended' } };
  if (!(await results.usesEarlier())) return now;
  const key: FencedAttempt = { batch: lane.batch, ...now.next.at };
  const snapshot = now.snapshot ?? (await lane.deps.ledger.readRow(key.batch, key.row));
  if (snapshot === undefined) return { next: { type: 'ended' } };
  const due = { key, snapshot };
  if (now.deferral === 'awaited') {
    const isDue = await lane.beforeWindow.while('awaiting', () => awaitResult(lane, results, due));
    if (!isDue) return { next: { type: 'ended' } };
  }
  if (!(await lane.monitor.waitUntilRunning())) return { next: { type: 'ended' } };
  return lane.beforeWindow.while('looking-up', () => results.use(due));
}

/** Waits until it is the row's turn to ask again. False if the batch stops; rejects if the lane ends. */
async function awaitRoom({ deps, batch, monitor, signal }: LaneContext): Promise<boolean> {
  await deps.budgetQueue.next(batch, signal);
  return monitor.waitUntilRunning();
}

/** Waits until there is a result, or none to wait for any more. False if the lane ends, or the batch stops. */
async function awaitResult(
  { deps, wakeUps, monitor, beforeWindow }: LaneContext,
  results: EarlierResults,
  due: DueRow,
): Promise<boolean> {
  const { resultKey } = await results.termsOf(due);
  if (resultKey === undefined) return true;
  for (let looks = 0; ; looks++) {
    await wakeUps.sleep(waitPauseMs(looks, beforeWindow.awaiting, Math.random()));
    if (!(await monitor.waitUntilRunning())) return false;
    const { attempts } = results.passedOver;
    const { results: found, by } = await deps.ledger.findReusable(due.key, resultKey, attempts);
    if (found.length > 0 || by === undefined) return true;
    results.passedOver.sees(by, deps.clock.now().monotonic);
  }
}
