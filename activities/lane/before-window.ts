import type { FencedAttempt } from '../../contract/batch.ts';
import { pauseBefore } from '../../policy/cache/awaited-result.ts';
import type { RowNow } from '../attempt.ts';
import type { Due, RowResults } from './row-results.ts';
import type { LaneWork } from './lane-work.ts';

/**
 * What a row that is to be sent does before it enters the window: it uses the earlier results that there are. If the
 * request is not made for now (`instead`), it first waits for the other row's result, or for room in the budget, outside of every
 * limit: a row that waits never keeps out the one that it waits for.
 */
export async function beforeWindow(lane: LaneWork, results: RowResults, now: RowNow): Promise<RowNow> {
  if (now.next.type !== 'submit') return now;
  if (now.instead === 'short' && !(await lane.ahead.while('short', () => awaitRoom(lane))))
    return { next: { type: 'ended' } };
  if (!(await results.usesEarlier())) return now;
  const key: FencedAttempt = { batch: lane.batch, ...now.next.at };
  const standing = now.standing ?? (await lane.deps.ledger.readRow(key.batch, key.row));
  if (standing === undefined) return { next: { type: 'ended' } };
  const due = { key, standing };
  if (now.instead === 'awaited') {
    const isDue = await lane.ahead.while('awaiting', () => awaitResult(lane, results, due));
    if (!isDue) return { next: { type: 'ended' } };
  }
  if (!(await lane.steering.mayPay())) return { next: { type: 'ended' } };
  return lane.ahead.while('looking-up', () => results.use(due));
}

/** Waits until it is the row's turn to ask again. False if the batch stops; rejects if the lane ends. */
async function awaitRoom({ deps, batch, steering, signal }: LaneWork): Promise<boolean> {
  await deps.roomWaits.next(batch, signal);
  return steering.mayPay();
}

/** Waits until there is a result, or none to wait for any more. False if the lane ends, or the batch stops. */
async function awaitResult(
  { deps, wakeUps, steering, ahead }: LaneWork,
  results: RowResults,
  due: Due,
): Promise<boolean> {
  const { resultKey } = await results.termsOf(due);
  if (resultKey === undefined) return true;
  for (let looks = 0; ; looks++) {
    await wakeUps.sleep(pauseBefore(looks, ahead.awaiting, Math.random()));
    if (!(await steering.mayPay())) return false;
    const { attempts } = results.passedOver;
    const { results: found, by } = await deps.ledger.lookForResult(due.key, resultKey, attempts);
    if (found.length > 0 || by === undefined) return true;
    results.passedOver.sees(by, deps.clock.now().monotonic);
  }
}
