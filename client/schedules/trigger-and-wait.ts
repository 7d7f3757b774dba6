import { setTimeout as sleep } from 'node:timers/promises';
import type { ScheduleDescription } from '@temporalio/client';
import { formatOccurrence, scheduledTimeOf } from '../../policy/occurrence.ts';
import type { OverlapPolicy } from '../../policy/schedule-spec.ts';
import { occurrenceViews, type OccurrenceView } from './occurrence-views.ts';
import { askTemporal, handleOf, type SchedulePlace } from './place.ts';
import { triggerSchedule } from './steer-schedule.ts';

/**
 * What a trigger came to. `over`: the occurrence ended, failed, or made a batch that is paused. `dropped`: another of
 * its batches runs, and the overlap policy dropped this firing. `unseen`: the server took the trigger and fired nothing,
 * as happens to one of two changes that reach it at the same moment.
 */
export type Triggered =
  | { readonly type: 'over'; readonly occurrence: OccurrenceView }
  | { readonly type: 'dropped' }
  | { readonly type: 'unseen' };

/** Two clocks of one cluster differ by less than this, ms: an earlier firing is not the one that was asked for. */
const CLOCKS_DIFFER_MS = 5_000;
/** A firing that need not wait for another batch begins within this time, ms. */
const FIRES_WITHIN_MS = 60_000;

const LOOK_EVERY_MS = 250;

/**
 * Fires a schedule now, as {@link triggerSchedule} does, and waits until its occurrence is over, however long that
 * takes. `onStart` gets the name of the batch as soon as it fires. Throws `VoxbatchError` (`no-schedule`,
 * `schedule-silent`).
 */
export async function triggerAndWait(
  place: SchedulePlace,
  name: string,
  overlap: OverlapPolicy | undefined,
  onStart: (batch: string) => void,
): Promise<Triggered> {
  const describe = (): Promise<ScheduleDescription> => askTemporal(place, name, () => handleOf(place, name).describe());
  // What is counted as skipped with the others is a due time of the schedule, by its own policy.
  const mayBeDropped = overlap !== undefined && !['allow', 'buffer-all'].includes(overlap);
  const mayWait = overlap !== undefined && overlap !== 'allow';
  const before = await describe();
  const since = Date.now();
  await triggerSchedule(place, name, overlap);
  for (;;) {
    const now = await describe();
    const at = newestOf(now, timesOf(before), since - CLOCKS_DIFFER_MS);
    if (at !== undefined) {
      onStart(formatOccurrence({ schedule: name, at }));
      return { type: 'over', occurrence: await untilOver(place, name, at) };
    }
    if (mayBeDropped && now.info.numActionsSkippedOverlap > before.info.numActionsSkippedOverlap) {
      return { type: 'dropped' };
    }
    if (!mayWait && Date.now() - since > FIRES_WITHIN_MS) return { type: 'unseen' };
    await sleep(LOOK_EVERY_MS);
  }
}

async function untilOver(place: SchedulePlace, name: string, at: number): Promise<OccurrenceView> {
  for (;;) {
    const views = await occurrenceViews(place, name, [], { from: at });
    const found = views.find((view) => view.at === at);
    if (found !== undefined && (found.state !== 'running' || (await isPaused(place, found.batch)))) return found;
    await sleep(LOOK_EVERY_MS);
  }
}

/** A paused batch waits for a person, and so does its occurrence. */
async function isPaused({ ledger }: SchedulePlace, batch: string): Promise<boolean> {
  return (await ledger.findBatch(batch))?.control === 'paused';
}

/** The times of the schedule's latest firings. */
function timesOf({ info }: ScheduleDescription): ReadonlySet<number> {
  const times = info.recentActions.map(({ action }) => scheduledTimeOf(action.workflow.workflowId));
  return new Set(times.filter((time) => time !== undefined));
}

/** The latest firing that was not there before, of those since a time. */
function newestOf(now: ScheduleDescription, before: ReadonlySet<number>, since: number): number | undefined {
  const fired = [...timesOf(now)].filter((time) => !before.has(time) && time >= since);
  return fired.sort((one, other) => other - one)[0];
}
