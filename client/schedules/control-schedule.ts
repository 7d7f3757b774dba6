import { setTimeout as sleep } from 'node:timers/promises';
import type { ScheduleDescription, ScheduleHandle, ScheduleOptionsAction } from '@temporalio/client';
import { type OverlapPolicy, type FireScheduleInput, FIRE_SCHEDULE, scheduleIdOf } from '../../contract/schedule.ts';
import type { NewAllowance } from '../../ledger/schedules/schedule-settings.ts';
import { nominalTimeOf, waitForOwnSecond } from '../../policy/schedules/due-times.ts';
import { spanOfTrigger } from '../../policy/schedules/legal-firing.ts';
import { formatOccurrence } from '../../policy/schedules/occurrence.ts';
import { VoxbatchError } from '../problem.ts';
import { OVERLAPS } from './temporal-spec.ts';
import {
  askTemporal,
  describe,
  handleOf,
  isUnknownThere,
  requireRecord,
  type SchedulePlace,
} from './open-schedules.ts';
import { previewSchedule, surveyBeforeChange, type TimeRange } from './survey-schedule.ts';
import { WORKFLOW_TASK_TIMEOUT } from '../../contract/batch-workflow.ts';
import { type Account, taskQueueOf } from '../../contract/names.ts';
import { firingLabels } from '../../contract/workflow-labels.ts';

// Changes to schedules in Temporal, each recorded in the ledger, too. All functions with a `place` throw VoxbatchError
// (`no-schedule`, `schedule-lost`, `schedule-silent`). A firing makes a batch only if the ledger allows it (see
// `policy/schedules/legal-firing.ts`): whoever reaches Temporal could fire a schedule.

/**
 * Pauses a schedule. A running batch continues; pending triggers and backfills do not fire either. Later triggers and
 * backfills still make batches.
 */
export async function pauseSchedule(place: SchedulePlace, name: string, note: string): Promise<void> {
  await surveyBeforeChange(place, name);
  // The ledger first: then a resume by Temporal's own tools fires nothing.
  await place.ledger.pauseFirings(name, Date.now(), note, place.by);
  await setPaused(place, name, true, (handle) => handle.pause(note));
}

/** Resumes a schedule. Firings missed during the pause stay missed; a backfill makes up for them. */
export async function resumeSchedule(place: SchedulePlace, name: string, note: string): Promise<void> {
  await surveyBeforeChange(place, name);
  // The ledger first: the schedule may fire at once.
  await place.ledger.resumeFirings(name, Date.now(), note, place.by);
  await setPaused(place, name, false, (handle) => handle.unpause(note));
}

/** Max waits for a second without a due time: on a busy machine, a wait may end in the next due second. */
const MAX_WAITS = 3;

/**
 * Triggers a schedule now. If it is due in this second, waits for the first second in which it is not: Temporal would
 * drop the trigger, or another firing could claim it. Default overlap: `allow`. `onAsk`: called before it may fire.
 * Returns the id of its allowance, and when it was asked for, ms since 1970.
 */
export async function triggerSchedule(
  place: SchedulePlace,
  name: string,
  overlap: OverlapPolicy = 'allow',
  onAsk: () => void = () => undefined,
): Promise<{ readonly id: number; readonly askedAt: number }> {
  const { settings } = await requireRecord(place, name);
  for (let waits = 0; waits < MAX_WAITS; waits++) {
    const waitMs = waitForOwnSecond(Date.now(), settings.spec);
    if (waitMs === 0) break;
    await sleep(waitMs);
  }
  const askedAt = Date.now();
  onAsk();
  const id = await withAllowance(place, name, { kind: 'trigger', ...spanOfTrigger(askedAt) }, () =>
    patch(place, name, (handle) => handle.trigger(OVERLAPS[overlap])),
  );
  return { id, askedAt };
}

/** For how many times of a range a backfill makes batches, and how many of its times had one already. */
export interface Backfilled {
  readonly fires: number;
  readonly made: number;
}

/**
 * Fires a schedule for the scheduled times in a range, as if they passed now. Default overlap: `buffer-all`, one after
 * the other. An occurrence that has a batch already gets no other.
 */
export async function backfillSchedule(
  place: SchedulePlace,
  name: string,
  { from, to }: TimeRange,
  overlap: OverlapPolicy = 'buffer-all',
): Promise<Backfilled> {
  const range = { start: new Date(from), end: new Date(to), overlap: OVERLAPS[overlap] };
  const { settings } = await requireRecord(place, name);
  await surveyBeforeChange(place, name);
  const times = await previewSchedule(place, name, { from, to });
  const batches = await place.ledger.listBatches();
  const made = new Set(batches.flatMap((batch) => (batch.state === 'loading' ? [] : [batch.name])));
  const fires = times.filter((firesAt) => {
    const at = nominalTimeOf(firesAt, settings.spec);
    return !made.has(formatOccurrence({ schedule: name, at }));
  }).length;
  await withAllowance(
    place,
    name,
    { kind: 'backfill', from, until: to, spec: settings.spec, askedAt: Date.now() },
    () => patch(place, name, (handle) => handle.backfill(range)),
  );
  return { fires, made: times.length - fires };
}

/**
 * Records an allowance for firings in the ledger, then asks Temporal for them; withdraws the allowance if Temporal
 * refuses. Returns its id.
 */
export async function withAllowance(
  place: SchedulePlace,
  name: string,
  allowance: NewAllowance,
  ask: () => Promise<unknown>,
): Promise<number> {
  const { ledger, by } = place;
  const id = await ledger.allowFirings(name, allowance, by);
  try {
    await ask();
    return id;
  } catch (error) {
    // A server that did not answer may have accepted the request, and then it fires.
    const isRefused = error instanceof VoxbatchError && error.problem.type === 'schedule-refused';
    if (isRefused || isUnknownThere(error)) await ledger.withdrawFirings(id, by);
    throw error;
  }
}

/**
 * Patches a schedule (pauses, resumes, triggers or backfills it), and waits until that has taken effect. If two patches
 * arrive while the server (1.29) handles one turn of a schedule, it drops the first; it answers `describe` only after
 * that turn, so the next patch is safe. Returns that description.
 */
async function patch(
  place: SchedulePlace,
  name: string,
  send: (handle: ScheduleHandle) => Promise<void>,
): Promise<ScheduleDescription> {
  await askTemporal(place, name, () => send(handleOf(place, name)));
  return describe(place, name);
}

/** Max attempts to pause or resume. */
const MAX_TRIES = 5;

/**
 * Pauses or resumes, and again if a patch of another process replaced this one. Gives up silently after a few tries:
 * then somebody else does the opposite at the same time, and the last one is right.
 */
async function setPaused(
  place: SchedulePlace,
  name: string,
  isPaused: boolean,
  send: (handle: ScheduleHandle) => Promise<void>,
): Promise<void> {
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const { state } = await patch(place, name, send);
    if (state.paused === isPaused) return;
  }
}

/**
 * Deletes a schedule, even one that Temporal has lost or the ledger does not know. Its batches stay, and a running one
 * continues.
 */
export async function deleteSchedule(place: SchedulePlace, name: string): Promise<void> {
  const { ledger } = place;
  const isKnown = (await ledger.scheduleRecord(name)) !== undefined;
  try {
    if (isKnown) await surveyBeforeChange(place, name);
    await askTemporal(place, name, () => handleOf(place, name).delete());
  } catch (error) {
    if (!isUnknownThere(error) || !isKnown) throw error;
  }
  await ledger.forgetSchedule(name, place.by);
}

/** The action of a schedule in Temporal: the workflow that each firing starts. */
export function firingOf(ledgerId: string, schedule: string, realm: Account): ScheduleOptionsAction {
  const input: FireScheduleInput = { schedule };
  return {
    type: 'startWorkflow',
    workflowType: FIRE_SCHEDULE,
    workflowId: scheduleIdOf(ledgerId, schedule),
    taskQueue: taskQueueOf({ apiUrl: realm.apiUrl, account: realm.account, ledgerId }),
    args: [input],
    workflowTaskTimeout: WORKFLOW_TASK_TIMEOUT,
    ...firingLabels(schedule),
  };
}
