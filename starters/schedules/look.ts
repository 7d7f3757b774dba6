import { jsonLine, printAnswer, type RunContext, type Output } from '../terminal/output.ts';
import { readAccount } from '../../client/account/account-functions.ts';
import {
  checkSchedules,
  type ScheduleCheck,
  listSchedules,
  previewFirings,
  showSchedule,
  type ScheduleLine,
  timeInZone,
} from '../../client/schedules/schedule-view.ts';
import { VoxbatchError } from '../../client/problem.ts';
import {
  isLeftAlone,
  withSchedules as openSchedules,
  type OpenSchedules,
  unknownSchedulesIn,
} from '../../client/schedules/open-schedules.ts';
import { requireRange } from '../../client/schedules/survey-schedule.ts';
import { DURATION_FORM, parseDuration } from '../../contract/times.ts';
import type { Flags } from '../commands/flags.ts';
import type { ExitName } from '../../contract/exit-codes.ts';
import { readApiAccess, readSettings, type CommandSettings } from '../connect/settings.ts';
import { unchangedError } from '../exit-error.ts';
import { oneLine, tableLines } from '../terminal/table.ts';
import { number } from '../terminal/words.ts';
import { flagOf } from '../terminal/tunable-words.ts';
import { lostWords, remakeWords } from './lost-schedule-words.ts';
import {
  monthWords,
  nobodyFires,
  occurrenceWords,
  priceLines,
  recentWords,
  replaceWords,
  scheduleLines,
  standingWords,
  strangerWords,
} from './schedule-words.ts';
import { openSession } from '../connect/connect-api.ts';
import { admittance } from '../trust/confirm.ts';

const COLUMNS = [
  { title: 'schedule', value: ({ schedule }: ScheduleLine) => schedule },
  { title: 'state', value: standingWords },
  { title: 'fires', value: ({ times }: ScheduleLine) => times },
  {
    title: 'next',
    value: ({ next, timezone, paused, lost }: ScheduleLine) =>
      next === null ? (paused || lost ? 'when resumed' : 'never') : timeInZone(Date.parse(next), timezone),
  },
  { title: 'last batch', value: ({ last }: ScheduleLine) => last ?? '' },
  { title: 'last outcome', value: recentWords },
] as const;

/** Shown if a schedule has such a budget. */
const MONTH_COLUMN = {
  title: 'left this month',
  value: ({ month }: ScheduleLine) =>
    month === null ? '' : `${number(month.left)} of ${number(month.credits)} credits`,
};

/**
 * `voxbatch schedule list`. A home without a ledger has no schedule, which is no error; no server is started for it.
 */
export async function list(flags: Flags, { output }: RunContext): Promise<ExitName> {
  const { lines, alone } = await withSchedules(output, async (place) => {
    const all = await listSchedules(place);
    const [gone, ...others] = namesOf(all, ({ lost }) => lost);
    if (gone !== undefined) output.say(lostWords([gone, ...others]));
    const left = namesOf(all, ({ lost, worker }) => !lost && isLeftAlone(worker, place.around));
    const strangers = await unknownSchedulesIn(place);
    if (strangers.length > 0) output.say(strangerWords(strangers));
    return { lines: all, alone: left.length === 0 ? undefined : nobodyFires(left, place.around) };
  }).catch((error: unknown) => {
    if (error instanceof VoxbatchError && error.problem.type === 'no-ledger') return { lines: [], alone: undefined };
    throw error;
  });
  if (flags.json === true) output.data(jsonLine(lines));
  else if (lines.length > 0) {
    const columns = lines.some(({ month }) => month !== null) ? [...COLUMNS, MONTH_COLUMN] : COLUMNS;
    for (const line of tableLines(columns, lines)) output.data(line);
  }
  if (lines.length === 0) output.say('There is no schedule here yet. Make one: voxbatch schedule create NAME MANIFEST');
  if (alone !== undefined) output.say(alone);
  return 'complete';
}

function namesOf(lines: readonly ScheduleLine[], holds: (line: ScheduleLine) => boolean): readonly string[] {
  return lines.filter(holds).map(({ schedule }) => schedule);
}

/** `voxbatch schedule show NAME`. */
export async function show(name: string, { json }: Flags, { output }: RunContext): Promise<ExitName> {
  return withSchedules<ExitName>(output, async (place) => {
    const schedule = await showSchedule(place, name);
    printAnswer(output, { json }, schedule.view, () => scheduleLines(schedule, place.around));
    return 'complete';
  });
}

/** `voxbatch schedule preview NAME`: the next ten firings, or those of a range, and what each would cost now. */
export async function preview(name: string, flags: Flags, { output }: RunContext): Promise<ExitName> {
  const range = flags.from === undefined && flags.to === undefined ? undefined : requireRange(flags, flagOf);
  return withSchedules<ExitName>(output, async (place, settings) => {
    const { account } = await readAccount(() => readApiAccess(settings, {}));
    const view = await previewFirings(place, name, { range, account });
    const { firings, paused, each, month } = view;
    printAnswer(output, flags, view, () => firings.map(({ local }) => local));
    if (firings.length === 0) output.say('It does not fire then.');
    if (paused) output.say(`It is paused, and fires only when it is resumed.`);
    if (each !== null) for (const line of priceLines(each)) output.say(line);
    if (month !== null) output.say(`Its ${monthWords(month)}.`);
    return 'complete';
  });
}

/** A day, and time for its batch. */
const DEFAULT_SINCE = '26h';

/**
 * `voxbatch schedule check [NAME]`, for a monitor: a line for each occurrence since then. Ends as `failures` if one
 * failed or did not take place, if one stands still because no worker is there, if Temporal has lost a schedule, or if
 * only Temporal knows one.
 */
export async function check(name: string | undefined, flags: Flags, { output }: RunContext): Promise<ExitName> {
  const { since = DEFAULT_SINCE, pausedOk: isPauseFine, json } = flags;
  const sinceMs = parseDuration(since);
  if (sinceMs === undefined) throw unchangedError(`--since: expected ${DURATION_FORM}, got ${since}.`);
  return withSchedules<ExitName>(output, async (place) => {
    const view = await checkSchedules(place, { name, since: Date.now() - sinceMs, isPauseFine });
    const { schedules, strangers, inOrder } = view;
    printAnswer(output, { json }, view, () => [
      ...schedules.flatMap((one) => checkLines(one, since)),
      ...strangers.map(strangerLine),
    ]);
    if (schedules.length + strangers.length === 0) output.say('There is no schedule here.');
    const alone = schedules.filter((one) => !one.lost && !one.worker).map(({ schedule }) => schedule);
    if (alone.length > 0) output.say(nobodyFires(alone, place.around));
    return inOrder ? 'complete' : 'failures';
  });
}

function strangerLine(name: string): string {
  return `AMISS ${oneLine(name)}: only Temporal has this schedule, the ledger does not know it: what it fires is refused. ${replaceWords(name)}`;
}

function checkLines(check: ScheduleCheck, since: string): readonly string[] {
  const { schedule } = check;
  if (check.lost) {
    return [`AMISS ${schedule}: Temporal does not know this schedule any more. ${remakeWords(schedule)}`];
  }
  const { timezone, occurrences } = check;
  if (occurrences.length === 0) return [`ok    ${schedule}: was not due in the last ${since}`];
  return occurrences.map((one) => `${one.amiss ? 'AMISS' : 'ok   '} ${occurrenceWords(one, timezone)}`);
}

/**
 * Opens the ledger and Temporal for a command on schedules, and closes them afterwards. Starts no worker. `reason`:
 * why, for the record.
 */
export async function withSchedules<T>(
  output: Output,
  work: (schedules: OpenSchedules, settings: CommandSettings) => Promise<T>,
  reason?: string,
): Promise<T> {
  const settings = await readSettings();
  const session = openSession(settings, {}, { mustExist: true, admit: admittance(settings, {}, output) });
  try {
    return await openSchedules(session, output.say, (schedules) => work(schedules, settings), reason);
  } finally {
    await session.close();
  }
}
