import { WorkflowNotFoundError } from '@temporalio/client';
import { firingIdOf } from '../../contract/schedule.ts';
import { shellWord } from '../../contract/shell-word.ts';
import { formatOccurrence } from '../../policy/schedules/occurrence.ts';
import { exitOfBatch } from './occurrence-views.ts';
import { askTemporal, type SchedulePlace } from './place.ts';

/** How a firing stands in Temporal. `none`: there was none, or Temporal has forgotten it. */
export type FiringState = 'running' | 'over' | 'none';

/** How many firings are asked for at the same time. */
const ASKED_AT_ONCE = 20;

/** How the firings of a schedule for these times stand, by time. Throws {@link VoxbatchError} (`schedule-silent`). */
export async function firingStates(
  place: SchedulePlace,
  schedule: string,
  times: readonly number[],
): Promise<ReadonlyMap<number, FiringState>> {
  const states = new Map<number, FiringState>();
  for (let first = 0; first < times.length; first += ASKED_AT_ONCE) {
    const asked = times.slice(first, first + ASKED_AT_ONCE);
    await Promise.all(asked.map(async (at) => states.set(at, await firingState(place, schedule, at))));
  }
  return states;
}

async function firingState(place: SchedulePlace, schedule: string, at: number): Promise<FiringState> {
  const handle = place.temporal.client.workflow.getHandle(firingIdOf(place.ledger.id, schedule, at));
  return askTemporal(place, undefined, async () => {
    try {
      const { status } = await handle.describe();
      return status.name === 'RUNNING' ? 'running' : 'over';
    } catch (error) {
      if (error instanceof WorkflowNotFoundError) return 'none';
      throw error;
    }
  });
}

/** Why a firing without a batch is over. */
export const ENDED_FROM_OUTSIDE = 'Its firing was ended from outside before it made a batch.';

/**
 * Ends occurrences since a time that are on record as running although their firing is over: somebody terminated it, or Temporal's database is
 * lost. A batch that still runs goes on by itself, and its occurrence with it. Throws {@link VoxbatchError} (`schedule-silent`).
 */
export async function endAbandoned(place: SchedulePlace, schedule: string, since: number): Promise<void> {
  const { ledger } = place;
  const findRunning = async (): Promise<readonly number[]> =>
    (await ledger.occurrencesOf(schedule, { from: since })).flatMap(({ at, state }) =>
      state === 'running' ? [at] : [],
    );
  const states = await firingStates(place, schedule, await findRunning());
  if ([...states.values()].every((state) => state === 'running')) return;
  // A firing records its end before it is over: one that was ending when it was looked at is not among them any more.
  for (const at of await findRunning()) {
    const state = states.get(at);
    if (state === undefined || state === 'running') continue;
    const name = formatOccurrence({ schedule, at });
    const batch = await ledger.findBatch(name);
    if (batch?.state === 'open') continue;
    // Nobody goes on loading it, and its budget would count as gone for the whole month.
    if (batch?.state === 'loading') await ledger.discardLoading(name);
    const hasEnded = batch?.state === 'closed';
    const exit = hasEnded ? ((await exitOfBatch(ledger, name)) ?? null) : null;
    const reason = hasEnded
      ? `Its firing was ended from outside, and its files may be missing. To write them: voxbatch results ${shellWord(name)}`
      : ENDED_FROM_OUTSIDE;
    await ledger.endOccurrence({ schedule, at }, { type: 'failed', exit, reason });
  }
}
