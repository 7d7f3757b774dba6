import { WorkflowNotFoundError } from '@temporalio/client';
import { firingIdOf } from '../../contract/schedule.ts';
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
