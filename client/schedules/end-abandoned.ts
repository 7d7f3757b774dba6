import { exitOfView } from '../../batches/look/view-batch.ts';
import { shellWord } from '../../contract/shell-word.ts';
import { formatOccurrence } from '../../policy/schedules/occurrence.ts';
import { firingStates } from './firing.ts';
import type { SchedulePlace } from './place.ts';

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
    const exit = hasEnded ? exitOfView({ batch, counts: await ledger.counts(name) }) : null;
    const reason = hasEnded
      ? `Its firing was ended from outside, and its files may be missing. To write them: voxbatch results ${shellWord(name)}`
      : ENDED_FROM_OUTSIDE;
    await ledger.endOccurrence({ schedule, at }, { type: 'failed', exit, reason });
  }
}
