import { setTimeout as sleep } from 'node:timers/promises';
import type { ScheduleDescription } from '@temporalio/client';
import { parseScheduledRun } from '../../inputs/schedules/scheduled-run.ts';
import { isDueIn } from '../../policy/schedules/legal-firing.ts';
import { formatOccurrence, scheduledTimeOf } from '../../policy/schedules/occurrence.ts';
import type { ExitName } from '../../contract/exit-codes.ts';
import type { OverlapPolicy } from '../../contract/schedule.ts';
import { exitOfBatch } from '../../batches/look/view-batch.ts';
import { occurrenceViews, type OccurrenceView } from './occurrence-view.ts';
import { describe, requireRecord, type SchedulePlace } from './open-schedules.ts';
import { isAttended } from './schedule-view.ts';
import { triggerSchedule } from './steer-schedule.ts';
import { NOTHING_FOUND } from './survey-record.ts';
import { firingStates } from './survey-schedule.ts';

/** Events while waiting for a trigger. */
export type TriggerNews =
  /** It is about to be triggered: from now on it may fire. */
  | { readonly type: 'asking' }
  /** It fired and is making this batch. */
  | { readonly type: 'started'; readonly batch: string }
  /** There is no worker after all; one killed moments ago had still seemed alive. */
  | { readonly type: 'alone' };

/**
 * What a trigger came to. `unattended`: no worker is there, so it was not triggered. `over`: the occurrence ended,
 * failed, or made a batch that is paused. `dropped`: another of its batches runs, and the overlap policy dropped this
 * firing. `unseen`: the server took the trigger and fired nothing, as happens to one of two changes that reach it at
 * the same moment. `refused`: it fired, and the ledger did not allow it any more. In all cases but `over` it cannot
 * fire any more, and nothing was spent. `exit`: how its batch ended, or stands; `out`: the folder that gets a folder
 * for each batch, if that is on record.
 */
export type Triggered =
  | {
      readonly type: 'over';
      readonly occurrence: OccurrenceView;
      readonly exit: ExitName | undefined;
      readonly out: string | null;
    }
  | { readonly type: 'unattended' | 'dropped' | 'unseen' | 'refused' };

/**
 * Two clocks of one cluster differ by less than this, ms: an earlier or later firing is not the one that was asked for.
 */
const CLOCKS_DIFFER_MS = 5_000;
/** A firing that need not wait for another batch begins within this time, ms. */
const FIRES_WITHIN_MS = 60_000;

/** A worker that was started a moment ago takes part within this time, ms. */
const WORKER_PATIENCE_MS = 30_000;

const SECOND_MS = 1_000;
const LOOK_EVERY_MS = 250;
const WORKER_LOOK_EVERY_MS = 500;

/** Options of a trigger. */
export interface TriggerRequest {
  /** Default: `allow`. */
  readonly overlap?: OverlapPolicy | undefined;
  /** Called with each event. */
  readonly tell: (news: TriggerNews) => void;
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
    if (!isThere) request.tell({ type: 'alone' });
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
    await sleep(WORKER_LOOK_EVERY_MS);
  }
  return true;
}

/** Triggers and waits, given that a worker is there. */
export async function triggerAttended(
  place: SchedulePlace,
  name: string,
  { overlap, tell }: TriggerRequest,
): Promise<Triggered> {
  // What is counted as skipped with the others is a due time of the schedule, by its own policy.
  const mayBeDropped = overlap !== undefined && !['allow', 'buffer-all'].includes(overlap);
  const mayWait = overlap !== undefined && overlap !== 'allow';
  const before = await describe(place, name);
  const asked = await triggerSchedule(place, name, overlap, () => {
    tell({ type: 'asking' });
  });
  const takenAt = Date.now();
  const follow = async (at: number): Promise<Triggered> => {
    const batch = formatOccurrence({ schedule: name, at });
    tell({ type: 'started', batch });
    const occurrence = await untilOver(place, name, at);
    if (occurrence === undefined) return { type: 'refused' };
    const exit = occurrence.exit ?? (await exitOfBatch(place.ledger, batch));
    const run = parseScheduledRun((await place.ledger.scheduleRecord(name))?.settings.run);
    return { type: 'over', occurrence, exit, out: run?.outFolder ?? null };
  };
  for (;;) {
    const now = await describe(place, name);
    const fired = await firedBy(place, name, { ...asked, takenAt, before: timesOf(before), now: timesOf(now) });
    if (fired.own !== undefined) return follow(fired.own);
    const isDropped = mayBeDropped && now.info.numActionsSkippedOverlap > before.info.numActionsSkippedOverlap;
    const isUnseen = !mayWait && Date.now() - asked.askedAt > FIRES_WITHIN_MS;
    // Others could use what is left of it. If that has fired after all, the next look finds it.
    if (
      (fired.shared !== undefined || isDropped || isUnseen) &&
      (await place.ledger.withdrawFirings(asked.id, place.by))
    ) {
      if (fired.shared !== undefined) return follow(fired.shared);
      return { type: isDropped ? 'dropped' : 'unseen' };
    }
    await sleep(LOOK_EVERY_MS);
  }
}

interface Look extends Awaited<ReturnType<typeof triggerSchedule>> {
  /** When Temporal had taken the trigger, ms since 1970. */
  readonly takenAt: number;
  /** Times of the schedule's latest firings, before the trigger and now. */
  readonly before: ReadonlySet<number>;
  readonly now: ReadonlySet<number>;
}

/**
 * The time for which a trigger fired: `own`. `shared`: Temporal took it in the second of a due time, although it waited
 * for another, and then they are one firing.
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
  const batch = formatOccurrence({ schedule: name, at });
  let wasOver = false;
  for (;;) {
    const views = await occurrenceViews(place.ledger, name, NOTHING_FOUND, { from: at });
    const found = views.find((view) => view.batch === batch);
    if (found !== undefined && (found.state !== 'running' || (await isPaused(place, batch)))) return found;
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
