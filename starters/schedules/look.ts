import { priceScheduled, type ScheduledLookUps } from '../../batches/schedules/price-scheduled.ts';
import { readAccount } from '../account/read-balance.ts';
import { identifyMedia } from '../../client/cache/identify-media.ts';
import type { Settings } from '../../client/settings.ts';
import { strangersIn, type SchedulePlace } from '../../client/schedules/place.ts';
import { fetchManifest } from '../../client/run/fetch-manifest.ts';
import { VoxbatchError } from '../../client/problem.ts';
import { listSchedules, showSchedule, type ScheduleLine } from '../../client/schedules/look-at-schedules.ts';
import { previewSchedule } from '../../client/schedules/preview-schedule.ts';
import type { ExitName } from '../../contract/exit-codes.ts';
import type { Output } from '../terminal/output.ts';
import { number } from '../terminal/words.ts';
import { tableLines } from '../terminal/table.ts';
import { timeInZone } from '../terminal/zone-time.ts';
import { readRange, type RangeFlags } from './range-flags.ts';
import {
  isoOf,
  lineJson,
  monthWords,
  priceWords,
  recentWords,
  refusalWarning,
  scheduleJson,
  scheduleLines,
  standingWords,
  strangerWords,
} from './schedule-words.ts';
import { isLeftAlone, nobodyFires } from './surroundings.ts';
import { withSchedules } from './with-schedules.ts';

export interface LookFlags {
  readonly json?: boolean;
}

const COLUMNS = [
  { title: 'schedule', value: ({ name }: ScheduleLine) => name },
  { title: 'state', value: ({ isPaused, note }: ScheduleLine) => standingWords(isPaused, note) },
  { title: 'fires', value: ({ times }: ScheduleLine) => times },
  {
    title: 'next',
    value: ({ next, timezone, isPaused }: ScheduleLine) =>
      next === undefined ? (isPaused ? 'when resumed' : 'never') : timeInZone(next, timezone),
  },
  { title: 'last batch', value: ({ last = '' }: ScheduleLine) => last },
  { title: 'last outcome', value: ({ recent }: ScheduleLine) => recentWords(recent) },
] as const;

/** Shown if a schedule has such a budget. */
const MONTH_COLUMN = {
  title: 'left this month',
  value: ({ month }: ScheduleLine) =>
    month === undefined ? '' : `${number(month.left)} of ${number(month.credits)} credits`,
};

/** `voxbatch schedule list`. A home without a ledger has no schedule, which is no error; no server is started for it. */
export async function list(flags: LookFlags, output: Output): Promise<ExitName> {
  const { lines, alone } = await withSchedules(output, async (place, around) => {
    const all = await listSchedules(place);
    const left = all.filter((line) => isLeftAlone(line, around)).map(({ name }) => name);
    const strangers = await strangersIn(place);
    if (strangers.length > 0) output.say(strangerWords(strangers));
    return { lines: all, alone: left.length === 0 ? undefined : nobodyFires(left, around) };
  }).catch((error: unknown) => {
    if (error instanceof VoxbatchError && error.problem.type === 'no-ledger') return { lines: [], alone: undefined };
    throw error;
  });
  if (flags.json === true) output.data(JSON.stringify(lines.map(lineJson)));
  else if (lines.length > 0) {
    const columns = lines.some(({ month }) => month !== undefined) ? [...COLUMNS, MONTH_COLUMN] : COLUMNS;
    for (const line of tableLines(columns, lines)) output.data(line);
  }
  if (lines.length === 0) output.say('There is no schedule here yet. Make one: voxbatch schedule create NAME MANIFEST');
  if (alone !== undefined) output.say(alone);
  return 'complete';
}

/** `voxbatch schedule show NAME`. */
export async function show(name: string, { json }: LookFlags, output: Output): Promise<ExitName> {
  return withSchedules<ExitName>(output, async (place, around) => {
    const view = await showSchedule(place, name);
    if (json === true) output.data(JSON.stringify(scheduleJson(view)));
    else for (const line of scheduleLines(view, around)) output.data(line);
    return 'complete';
  });
}

export type PreviewFlags = LookFlags & Partial<RangeFlags>;

/** `voxbatch schedule preview NAME`: the next ten firings, or those of a range, and what each would cost now. */
export async function preview(name: string, flags: PreviewFlags, output: Output): Promise<ExitName> {
  const range = flags.from === undefined && flags.to === undefined ? undefined : readRange(flags);
  return withSchedules<ExitName>(output, async (place, _, settings) => {
    const view = await showSchedule(place, name);
    const { spec, run, month, isPaused } = view;
    const times = range === undefined ? view.next : await previewSchedule(place, name, range);
    const price =
      run === undefined
        ? undefined
        : await priceScheduled(run, fetchManifest, await lookUpsOf(place, settings), month ?? null);
    if (flags.json === true) {
      const zoned = times.map((at) => ({ at: isoOf(at), local: timeInZone(at, spec.timezone) }));
      output.data(
        JSON.stringify({
          schedule: name,
          timezone: spec.timezone,
          paused: isPaused,
          firings: zoned,
          each: price ?? null,
          month: month ?? null,
        }),
      );
    } else {
      for (const at of times) output.data(timeInZone(at, spec.timezone));
    }
    if (times.length === 0) output.say('It does not fire then.');
    if (isPaused) output.say(`It is paused, and fires only when it is resumed.`);
    if (price !== undefined) {
      output.say(priceWords(price));
      const warning = refusalWarning(price);
      if (warning !== undefined) output.say(warning);
    }
    if (month !== undefined) output.say(`Its ${monthWords(month)}.`);
    return 'complete';
  });
}

/** What the rows of a firing would be compared with. */
async function lookUpsOf({ ledger }: SchedulePlace, settings: Settings): Promise<ScheduledLookUps> {
  const { account } = await readAccount(settings, {});
  return { ledger, account, identify: identifyMedia };
}
