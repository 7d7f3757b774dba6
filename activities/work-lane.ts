import { ApplicationFailure } from '@temporalio/common';
import type { LaneOffer, LaneReport } from '../contract/activities.ts';
import { isAnyFree } from '../policy/lanes/share.ts';
import type { Dependencies } from './dependencies.ts';
import { runLane } from './lane/run-lane.ts';

/**
 * A process declines a lane that another worker could take this many times, with a gap in ms, before it takes it after
 * all.
 */
const MOST_DECLINES = 20;
const DECLINE_FOR_MS = 250;

/**
 * Works on an offered lane. Lanes are for processes: a process that has a lane of this batch already leaves the next
 * one to a worker that has none, if there is one.
 */
export async function workLane(
  deps: Dependencies,
  offer: LaneOffer,
  life: { readonly signal: AbortSignal; readonly beat: () => void; readonly attempt: number },
): Promise<LaneReport> {
  const { batch } = offer;
  const mine = deps.lanes.get(batch) ?? 0;
  if (mine > 0 && life.attempt <= MOST_DECLINES && (await isAnotherFree(deps, offer))) {
    throw ApplicationFailure.create({
      type: 'LaneDeclined',
      message: 'Another worker has no lane of this batch yet.',
      nextRetryDelay: DECLINE_FOR_MS,
    });
  }
  deps.lanes.set(batch, (deps.lanes.get(batch) ?? 0) + 1);
  try {
    return await runLane(deps, offer, life.signal, life.beat);
  } finally {
    deps.lanes.set(batch, (deps.lanes.get(batch) ?? 1) - 1);
  }
}

async function isAnotherFree({ ledger, realm }: Dependencies, { batch }: LaneOffer): Promise<boolean> {
  const workers = await ledger.livingWorkers(realm.apiUrl, realm.account);
  return isAnyFree(workers, await ledger.laneOwners(batch));
}
