import { setTimeout as sleep } from 'node:timers/promises';
import type { ScheduleDescription } from '@temporalio/client';
import { parseScheduledRun } from '../../inputs/schedules/scheduled-run.ts';
import { isDueIn } from '../../policy/schedules/legal-firing.ts';
import { formatOccurrence, scheduledTimeOf } from '../../policy/schedules/occurrence.ts';
import type { ExitName } from '../../contract/exit-codes.ts';
import type { OverlapPolicy } from '../../contract/schedule.ts';
import { exitOfBatch } from '../../batches/status/view-batch.ts';
import { occurrenceViews, type OccurrenceView } from './occurrence-view.ts';
import { describe, requireRecord, type SchedulePlace } from './open-schedules.ts';
import { isAttended } from './schedule-view.ts';
import { triggerSchedule } from './control-schedule.ts';
import { NOTHING_FOUND } from './survey-record.ts';
import { firingStates } from './survey-schedule.ts';

/** Events while a triggered schedule is awaited. */
export type TriggerEvent =
  /** The trigger is about to be sent: from now on the schedule may fire. */
  | { readonly type: 'asking' }
  /** The schedule fired and is making this batch. */
  | { readonly type: 'started'; readonly batch: string }
  /** There is no worker any more. One that was just killed counts as alive for some seconds. */
  | { readonly type: 'alone' };

/**
 * Result of a trigger. In all cases but `over`, the trigger cannot fire any more, and nothing was spent.
 *
 * - `over`: the occurrence ended, failed, or made a batch that is paused. `exit`: the batch's exit code, final or
 * current; `out`: the folder that gets a folder for each batch, if that is on record.
 * - `unattended`: there is no worker, so nothing was triggered.
 * - `dropped`: another batch of the schedule is running, and the overlap policy dropped this firing.
 * - `unseen`: the server accepted the trigger but did not fire, as may happen if two changes reach it at the same
 * moment.
 * - `refused`: the schedule fired, but the ledger no longer allowed it.
 */
export type Triggered =
  | {
      readonly type: 'over';
      readonly occurrence: OccurrenceView;
      readonly exit: ExitName | undefined;
      readonly out: string | null;
    }
  | { readonly type: 'unattended' | 'dropped' | 'unseen' | 'refused' };

/** Max difference between two clocks of a cluster, ms: a firing further away from the trigger is another one. */
const MAX_SKEW_MS = 5_000;
/** A firing that need not wait for another batch begins within this time, ms. */
const FIRES_WITHIN_MS = 60_000;

/** A worker that was started a moment ago takes part within this time, ms. */
const WORKER_PATIENCE_MS = 30_000;

const SECOND_MS = 1_000;
/** Poll intervals: for the firing and its occurrence, and for a worker, ms. */
const POLL_EVERY_MS = 250;
const WORKER_POLL_EVERY_MS = 500;

/** Options of a trigger. */
export interface TriggerRequest {
  /** Default: `allow`. */
  readonly overlap?: OverlapPolicy | undefined;
  /** Called with each event. */
  readonly onEvent: (event: TriggerEvent) => void;
}

/**
 * Fires a schedule now, as {@link triggerSchedule} does, and waits until its occurrence is over, however long that
 * takes; not without a worker, or there would be no end to the wait. Throws `VoxbatchError` (`no-schedule`,
 * `schedule-silent`).
 */
export async function triggerAndWait(place: SchedulePlace, name: string, request: TriggerRequest): Promise<Triggered> {
  if (!(await awaitWorker(place, name))) return { type: 'unattended' };
  const warn = async (): Promise<void> => {
    const isThere = await isAttended(place, name).catch(() => true);
    if (!isThere) request.onEvent({ type: 'alone' });
  };
  const watch = setInterval(() => void warn(), WORKER_PATIENCE_MS);
  try {
    return await triggerAttended(place, name, request);
  } finally {
    clearInterval(watch);
  }
}

/** Waits briefly for a worker, which may just be starting. */
async function awaitWorker(place: SchedulePlace, name: string): Promise<boolean> {
  const until = performance.now() + WORKER_PATIENCE_MS;
  while (!(await isAttended(place, name))) {
    if (performance.now() > until) return false;
    await sleep(WORKER_POLL_EVERY_MS);
  }
  return true;
}

/**
 * Triggers and waits, given that a worker is there. The trigger has an allowance: the ledger's permission for one
 * firing to make a batch.
 */
export async function triggerAttended(
  place: SchedulePlace,
  name: string,
  { overlap, onEvent }: TriggerRequest,
): Promise<Triggered> {
  // Under `allow` and `buffer-all`, a skipped overlap that Temporal counts is a due time, not this trigger.
  const mayBeDropped = overlap !== undefined && !['allow', 'buffer-all'].includes(overlap);
  const mayWait = overlap !== undefined && overlap !== 'allow';
  const before = await describe(place, name);
  const trigger = await triggerSchedule(place, name, overlap, () => {
    onEvent({ type: 'asking' });
  });
  const takenAt = Date.now();
  const follow = async (at: number): Promise<Triggered> => {
    const batch = formatOccurrence({ schedule: name, at });
    onEvent({ type: 'started', batch });
    const occurrence = await untilOver(place, name, at);
    if (occurrence === undefined) return { type: 'refused' };
    const exit = occurrence.exit ?? (await exitOfBatch(place.ledger, batch));
    const run = parseScheduledRun((await place.ledger.scheduleRecord(name))?.settings.run);
    return { type: 'over', occurrence, exit, out: run?.outFolder ?? null };
  };
  for (;;) {
    const now = await describe(place, name);
    const fired = await firedBy(place, name, { ...trigger, takenAt, before: timesOf(before), now: timesOf(now) });
    if (fired.own !== undefined) return follow(fired.own);
    const isDropped = mayBeDropped && now.info.numActionsSkippedOverlap > before.info.numActionsSkippedOverlap;
    const isUnseen = !mayWait && Date.now() - trigger.askedAt > FIRES_WITHIN_MS;
    // The allowance is withdrawn, because another firing could use it. If the trigger has fired after all, that fails,
    // and the next poll finds the firing.
    if (
      (fired.shared !== undefined || isDropped || isUnseen) &&
      (await place.ledger.withdrawFirings(trigger.id, place.by))
    ) {
      if (fired.shared !== undefined) return follow(fired.shared);
      return { type: isDropped ? 'dropped' : 'unseen' };
    }
    await sleep(POLL_EVERY_MS);
  }
}

/** A trigger, and the schedule's firings before and after. */
interface TriggerPoll extends Awaited<ReturnType<typeof triggerSchedule>> {
  /** When Temporal had taken the trigger, ms since 1970. */
  readonly takenAt: number;
  /** Times of the schedule's latest firings, before the trigger and now. */
  readonly before: ReadonlySet<number>;
  readonly now: ReadonlySet<number>;
}

/**
 * Finds the time for which a trigger fired: `own`, or `shared` if Temporal accepted the trigger in the second of a due
 * time, although {@link triggerSchedule} avoids that; trigger and due time are then one firing.
 */
async function firedBy(
  place: SchedulePlace,
  name: string,
  { id, askedAt, takenAt, before, now }: TriggerPoll,
): Promise<{ readonly own?: number | undefined; readonly shared?: number | undefined }> {
  const { allowed } = await requireRecord(place, name);
  const trigger = allowed.find((one) => one.id === id);
  if (trigger?.kind === 'trigger' && trigger.at !== null) return { own: trigger.at };
  const isDue = (time: number): boolean => allowed.some((one) => one.kind === 'due' && isDueIn(one, time));
  const times = [...now].sort((one, other) => other - one);
  const own = times.find(
    (time) => !before.has(time) && !isDue(time) && time >= askedAt - MAX_SKEW_MS && time <= takenAt + MAX_SKEW_MS,
  );
  return { own, shared: times.find((time) => isDue(time) && time > askedAt - SECOND_MS && time <= takenAt) };
}

/** Waits until an occurrence is over or its batch is paused. Undefined if it left no record, because it was refused. */
async function untilOver(place: SchedulePlace, name: string, at: number): Promise<OccurrenceView | undefined> {
  const batch = formatOccurrence({ schedule: name, at });
  let wasOver = false;
  for (;;) {
    const views = await occurrenceViews(place.ledger, name, NOTHING_FOUND, { from: at });
    const found = views.find((view) => view.batch === batch);
    if (found !== undefined && (found.state !== 'running' || (await isPaused(place, batch)))) return found;
    if (found === undefined && wasOver) return undefined;
    // A firing records its end before its workflow ends, so one more poll would find the record.
    wasOver = found === undefined && (await firingStates(place, name, [at])).get(at) === 'over';
    await sleep(POLL_EVERY_MS);
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
