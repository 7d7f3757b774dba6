import { setTimeout as sleep } from 'node:timers/promises';
import type { ScheduleDescription } from '@temporalio/client';
import { isDueIn } from '../../policy/schedules/legal-firing.ts';
import { formatOccurrence, scheduledTimeOf } from '../../policy/schedules/occurrence.ts';
import type { OverlapPolicy } from '../../contract/schedule.ts';
import { firingStates } from './firing.ts';
import { occurrenceViews, type OccurrenceView } from './occurrence-views.ts';
import { askTemporal, handleOf, type SchedulePlace } from './place.ts';
import { requireRecord } from './require-settings.ts';
import { triggerSchedule, type AskedTrigger } from './steer-schedule.ts';

/**
 * What a trigger came to. `over`: the occurrence ended, failed, or made a batch that is paused. `dropped`: another of
 * its batches runs, and the overlap policy dropped this firing. `unseen`: the server took the trigger and fired nothing,
 * as happens to one of two changes that reach it at the same moment. `refused`: it fired, and the ledger did not allow it any
 * more. In all but the first case it cannot fire any more, and nothing was spent.
 */
export type Triggered =
  | { readonly type: 'over'; readonly occurrence: OccurrenceView }
  | { readonly type: 'dropped' }
  | { readonly type: 'unseen' }
  | { readonly type: 'refused' };

/** Two clocks of one cluster differ by less than this, ms: an earlier or later firing is not the one that was asked for. */
const CLOCKS_DIFFER_MS = 5_000;
/** A firing that need not wait for another batch begins within this time, ms. */
const FIRES_WITHIN_MS = 60_000;

const SECOND_MS = 1_000;
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
  const asked = await triggerSchedule(place, name, overlap);
  const takenAt = Date.now();
  const follow = async (at: number): Promise<Triggered> => {
    onStart(formatOccurrence({ schedule: name, at }));
    const occurrence = await untilOver(place, name, at);
    return occurrence === undefined ? { type: 'refused' } : { type: 'over', occurrence };
  };
  for (;;) {
    const now = await describe();
    const fired = await firedBy(place, name, { ...asked, takenAt, before: timesOf(before), now: timesOf(now) });
    if (fired.own !== undefined) return follow(fired.own);
    const isDropped = mayBeDropped && now.info.numActionsSkippedOverlap > before.info.numActionsSkippedOverlap;
    const isUnseen = !mayWait && Date.now() - asked.askedAt > FIRES_WITHIN_MS;
    // Others could use what is left of it. If that has fired after all, the next look finds it.
    if ((fired.shared !== undefined || isDropped || isUnseen) && (await place.ledger.withdrawFirings(asked.id))) {
      if (fired.shared !== undefined) return follow(fired.shared);
      return { type: isDropped ? 'dropped' : 'unseen' };
    }
    await sleep(LOOK_EVERY_MS);
  }
}

interface Look extends AskedTrigger {
  /** When Temporal had taken the trigger, ms since 1970. */
  readonly takenAt: number;
  /** Times of the schedule's latest firings, before the trigger and now. */
  readonly before: ReadonlySet<number>;
  readonly now: ReadonlySet<number>;
}

/**
 * The time for which a trigger fired: `own`. `shared`: Temporal took it in the second of a due time, although it waited for another, and then they are
 * one firing.
 */
async function firedBy(
  place: SchedulePlace,
  name: string,
  { id, askedAt, takenAt, before, now }: Look,
): Promise<{ readonly own?: number | undefined; readonly shared?: number | undefined }> {
  const { allowed } = await requireRecord(place, name);
  const trigger = allowed.find((one) => one.id === id);
  if (trigger?.kind === 'trigger' && trigger.at !== null) return { own: trigger.at };
  const isDue = (time: number): boolean => allowed.some((one) => one.kind === 'due' && isDueIn(one, time));
  const times = [...now].sort((one, other) => other - one);
  const own = times.find(
    (time) =>
      !before.has(time) && !isDue(time) && time >= askedAt - CLOCKS_DIFFER_MS && time <= takenAt + CLOCKS_DIFFER_MS,
  );
  return { own, shared: times.find((time) => isDue(time) && time > askedAt - SECOND_MS && time <= takenAt) };
}

/** Undefined: it fired, and nothing is on record of it, because it was refused. */
async function untilOver(place: SchedulePlace, name: string, at: number): Promise<OccurrenceView | undefined> {
  let wasOver = false;
  for (;;) {
    const views = await occurrenceViews(place, name, [], { from: at });
    const found = views.find((view) => view.at === at);
    if (found !== undefined && (found.state !== 'running' || (await isPaused(place, found.batch)))) return found;
    if (found === undefined && wasOver) return undefined;
    // A firing puts its end on record before it is over, so one more look finds that.
    wasOver = found === undefined && (await firingStates(place, name, [at])).get(at) === 'over';
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
