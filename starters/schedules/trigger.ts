import { setTimeout as sleep } from 'node:timers/promises';
import { isAttended, showSchedule } from '../../client/schedules/look-at-schedules.ts';
import type { SchedulePlace } from '../../client/schedules/place.ts';
import { triggerSchedule } from '../../client/schedules/steer-schedule.ts';
import { triggerAndWait } from '../../client/schedules/trigger-and-wait.ts';
import type { ExitName } from '../../contract/exit-codes.ts';
import { shellWord } from '../../contract/shell-word.ts';
import type { OverlapPolicy } from '../../policy/schedules/schedule-spec.ts';
import type { Output } from '../terminal/output.ts';
import { endingWords } from './ending-words.ts';
import { occurrenceJson } from './schedule-words.ts';
import type { SteerFlags } from './steer.ts';
import { isLeftAlone, nobodyFires, type Surroundings } from './surroundings.ts';
import { withSchedules } from './with-schedules.ts';

/** A worker that was started a moment ago takes part within this time, ms. */
const WORKER_PATIENCE_MS = 30_000;
const WORKER_LOOK_EVERY_MS = 500;

export interface TriggerFlags extends SteerFlags {
  readonly overlap?: OverlapPolicy;
  /** Wait until its batch has ended. */
  readonly wait?: boolean;
}

/** `voxbatch schedule trigger NAME`. With `--wait` its exit is that of the batch. */
export async function trigger(name: string, flags: TriggerFlags, output: Output): Promise<ExitName> {
  return withSchedules<ExitName>(output, async (place, around) => {
    if (flags.wait === true) return waitFor(place, name, { ...flags, around }, output);
    await triggerSchedule(place, name, flags.overlap);
    output.say(`Schedule "${name}" fires now. To see what comes of it: voxbatch schedule show ${shellWord(name)}`);
    if (isLeftAlone({ hasWorker: await isAttended(place, name) }, around)) output.say(nobodyFires([name], around));
    if (flags.json === true) output.data(JSON.stringify({ schedule: name, done: 'triggered' }));
    return 'complete';
  });
}

async function waitFor(
  place: SchedulePlace,
  name: string,
  { overlap, json, around }: TriggerFlags & { readonly around: Surroundings },
  output: Output,
): Promise<ExitName> {
  if (!(await hasWorker(place, name))) {
    output.say(`Schedule "${name}" was not triggered. ${nobodyFires([name], around)}`);
    return 'unreachable';
  }
  const watch = setInterval(() => {
    void warnIfAlone(place, name, { around, output });
  }, WORKER_PATIENCE_MS);
  const triggered = await triggerAndWait(place, name, overlap, (batch) => {
    output.say(`Schedule "${name}" fires: batch ${batch}. Waiting for its end; Ctrl-C ends only the waiting.`);
  }).finally(() => {
    clearInterval(watch);
  });
  if (triggered.type === 'dropped') {
    output.say(`Schedule "${name}" did not fire: one of its batches runs, and the overlap policy dropped this firing.`);
    return 'goesOn';
  }
  if (triggered.type === 'unseen') {
    output.say(
      `Schedule "${name}" has not fired: the server took the trigger and did nothing with it. Nothing was spent by it. Trigger it again.`,
    );
    return 'unreachable';
  }
  if (triggered.type === 'refused') {
    output.say(
      `Schedule "${name}" fired, and made no batch: it was paused or changed meanwhile, or the firing was ended in Temporal. Nothing was spent by it.`,
    );
    return 'failures';
  }
  const { occurrence } = triggered;
  output.say(endingWords(occurrence, name, (await showSchedule(place, name)).run?.outFolder));
  if (json === true) {
    output.data(JSON.stringify({ schedule: name, done: 'triggered', ...occurrenceJson(occurrence) }));
  }
  return occurrence.exit ?? 'failures';
}

/** A worker that was killed a moment ago seemed to be there: says so as long as nobody has taken its place. */
async function warnIfAlone(
  place: SchedulePlace,
  name: string,
  { around, output }: { readonly around: Surroundings; readonly output: Output },
): Promise<void> {
  const isThere = await isAttended(place, name).catch(() => true);
  if (!isThere) output.say(nobodyFires([name], around));
}

/** Waits a while for a worker, which may just be starting. Without one there would be no end to the wait. */
async function hasWorker(place: SchedulePlace, name: string): Promise<boolean> {
  const until = performance.now() + WORKER_PATIENCE_MS;
  for (;;) {
    if (await isAttended(place, name)) return true;
    if (performance.now() > until) return false;
    await sleep(WORKER_LOOK_EVERY_MS);
  }
}
