import type { ScheduleDescription, ScheduleHandle } from '@temporalio/client';
import type { OverlapPolicy, WrittenSpec } from '../../policy/schedule-spec.ts';
import type { ScheduleHooks } from '../../contract/schedule.ts';
import type { ScheduledRun } from '../../inputs/scheduled-run.ts';
import { parseMonthBudget } from '../../inputs/scheduled-run.ts';
import { VoxbatchError } from '../problem.ts';
import { refuseOption } from '../refuse-option.ts';
import { requireSpec } from './create-schedule.ts';
import { askTemporal, handleOf, type SchedulePlace } from './place.ts';
import type { TimeRange } from './preview-schedule.ts';
import { decodeSpec, encodeInput, encodeOverlap, encodeSpec, inputOf } from './spec-coding.ts';
import { surveyBeforeChange } from './survey-schedule.ts';

/** All of these throw {@link VoxbatchError} (`no-schedule`, `schedule-silent`). */

/** Stops a schedule from firing. A running batch continues; triggers and backfills still make batches. */
export async function pauseSchedule(place: SchedulePlace, name: string, note: string): Promise<void> {
  await surveyBeforeChange(place, name);
  await setPaused(place, name, true, (handle) => handle.pause(note));
}

/** Lets a schedule fire again. What it missed while it was paused stays missed; a backfill makes up for it. */
export async function resumeSchedule(place: SchedulePlace, name: string, note: string): Promise<void> {
  await surveyBeforeChange(place, name);
  await setPaused(place, name, false, (handle) => handle.unpause(note));
}

/** Fires a schedule now, for the current second. Default overlap: `allow`. */
export async function triggerSchedule(
  place: SchedulePlace,
  name: string,
  overlap: OverlapPolicy = 'allow',
): Promise<void> {
  await patch(place, name, (handle) => handle.trigger(encodeOverlap(overlap)));
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
): Promise<void> {
  const range = { start: new Date(from), end: new Date(to), overlap: encodeOverlap(overlap) };
  await surveyBeforeChange(place, name);
  await patch(place, name, (handle) => handle.backfill(range));
}

/**
 * Patches a schedule, and returns when that has taken effect. Of two patches that reach a schedule in one turn of its own, the server (1.29)
 * drops the first; it answers a question only after that turn, so whoever patches next is safe. Returns the answer.
 */
async function patch(
  place: SchedulePlace,
  name: string,
  send: (handle: ScheduleHandle) => Promise<void>,
): Promise<ScheduleDescription> {
  const handle = handleOf(place, name);
  await askTemporal(place, name, () => send(handle));
  return await askTemporal(place, name, () => handle.describe());
}

/** Somebody else may pause and resume at the same time; the last one is right. */
const MOST_TRIES = 5;

/** Pauses or resumes, again if a patch of another process came in the same turn: who paused a schedule relies on it. */
async function setPaused(
  place: SchedulePlace,
  name: string,
  isPaused: boolean,
  send: (handle: ScheduleHandle) => Promise<void>,
): Promise<void> {
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    const { state } = await patch(place, name, send);
    if (state.paused === isPaused) return;
  }
}

/** Deletes a schedule, even one that Temporal has lost. Its batches stay, and a running one continues. */
export async function deleteSchedule(place: SchedulePlace, name: string): Promise<void> {
  const { ledger } = place;
  try {
    await surveyBeforeChange(place, name);
    await askTemporal(place, name, () => handleOf(place, name).delete());
  } catch (error) {
    const isGone = error instanceof VoxbatchError && error.problem.type === 'no-schedule';
    if (!isGone || !(await ledger.knownSchedules()).some((schedule) => schedule.name === name)) throw error;
  }
  await ledger.forgetSchedule(name);
}

/** What to change in a schedule; absent members stay as they are. */
export interface ScheduleChange {
  readonly written: WrittenSpec;
  /** What it runs from now on. */
  readonly run?: ScheduledRun | undefined;
  /** Its hooks from now on; absent ones stay. */
  readonly hooks?: Partial<ScheduleHooks>;
  /** Gives the name of an option for messages. */
  readonly nameOf: (option: keyof WrittenSpec) => string;
}

/**
 * Changes a schedule. A running batch stays as it is. Also throws {@link VoxbatchError} (`bad-option`,
 * `schedule-refused`).
 */
export async function updateSchedule(
  place: SchedulePlace,
  name: string,
  { written, run, hooks = {}, nameOf }: ScheduleChange,
): Promise<void> {
  await surveyBeforeChange(place, name);
  await askTemporal(place, name, () =>
    handleOf(place, name).update((before) => {
      // Written back as none, it would be gone without a word.
      if (written.budgetMonth === undefined && parseMonthBudget(inputOf(before).month) === undefined)
        refuseOption(nameOf('budgetMonth'), 'it once more: what the schedule has cannot be read', undefined);
      const spec = requireSpec(written, nameOf, decodeSpec(before));
      const { remainingActions, ...encoded } = encodeSpec(spec);
      const { paused, note } = before.state;
      // Also without another run: the month goes by the timezone, and both may change.
      const input = encodeInput(name, run ?? inputOf(before).run, spec);
      return {
        ...encoded,
        state: {
          paused,
          ...(note === undefined ? {} : { note }),
          ...(remainingActions === undefined ? {} : { remainingActions }),
        },
        action: { ...before.action, args: [input] },
      };
    }),
  );
  await place.ledger.setScheduleHooks(name, hooks);
}
