import { previewSchedule } from '../../client/schedules/preview-schedule.ts';
import type { SchedulePlace } from '../../client/schedules/place.ts';
import {
  backfillSchedule,
  deleteSchedule,
  pauseSchedule,
  resumeSchedule,
} from '../../client/schedules/steer-schedule.ts';
import type { ExitName } from '../../contract/exit-codes.ts';
import { shellWord } from '../../contract/shell-word.ts';
import type { OverlapPolicy } from '../../policy/schedules/schedule-spec.ts';
import type { Output } from '../terminal/output.ts';
import { number } from '../terminal/words.ts';
import { readRange, type RangeFlags } from './range-flags.ts';
import { withSchedules } from './with-schedules.ts';

export interface SteerFlags {
  readonly json?: boolean;
  readonly note?: string;
}

/** `voxbatch schedule pause NAME`. */
export async function pause(name: string, flags: SteerFlags, output: Output): Promise<ExitName> {
  return steer(name, 'paused', flags, output, async (place) => {
    await pauseSchedule(place, name, flags.note ?? 'paused by hand');
    return (
      `Schedule "${name}" is paused: it does not fire. A running batch continues; triggers and backfills that have not begun are void. ` +
      `To resume it: voxbatch schedule resume ${shellWord(name)}`
    );
  });
}

/** `voxbatch schedule resume NAME`. */
export async function resume(name: string, flags: SteerFlags, output: Output): Promise<ExitName> {
  return steer(name, 'resumed', flags, output, async (place) => {
    await resumeSchedule(place, name, flags.note ?? 'resumed by hand');
    return (
      `Schedule "${name}" fires again. What it missed while it was paused stays missed; to make up for it: ` +
      `voxbatch schedule backfill ${shellWord(name)} --from TIME --to TIME`
    );
  });
}

/** `voxbatch schedule delete NAME`. */
export async function remove(name: string, flags: SteerFlags, output: Output): Promise<ExitName> {
  return steer(name, 'deleted', flags, output, async (place) => {
    await deleteSchedule(place, name);
    return `Schedule "${name}" is deleted. Its batches and their files stay; a running batch continues.`;
  });
}

export interface BackfillFlags extends SteerFlags, Partial<RangeFlags> {
  readonly overlap?: OverlapPolicy;
}

/** `voxbatch schedule backfill NAME --from TIME --to TIME`. */
export async function backfill(name: string, flags: BackfillFlags, output: Output): Promise<ExitName> {
  const range = readRange(flags);
  return steer(name, 'backfilled', flags, output, async (place) => {
    const times = await previewSchedule(place, name, range);
    await backfillSchedule(place, name, range, flags.overlap);
    const found = times.length === 1 ? 'a time' : `${number(times.length)} times`;
    return `Schedule "${name}" fires for ${found} of that range. One that has a batch already gets no other.`;
  });
}

async function steer(
  name: string,
  done: string,
  flags: SteerFlags,
  output: Output,
  work: (place: SchedulePlace) => Promise<string>,
): Promise<ExitName> {
  return withSchedules<ExitName>(output, async (place) => {
    output.say(await work(place));
    if (flags.json === true) output.data(JSON.stringify({ schedule: name, done }));
    return 'complete';
  });
}
