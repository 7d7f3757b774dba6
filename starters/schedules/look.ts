import { jsonLine, printAnswer, type RunContext, type Output } from '../terminal/output.ts';
import { readAccount } from '../../client/account/account-functions.ts';
import {
  checkSchedules,
  listSchedules,
  previewFirings,
  showSchedule,
  type ScheduleLine,
  timeInZone,
} from '../../client/schedules/schedule-view.ts';
import { VoxbatchError } from '../../client/problem.ts';
import {
  lacksWorker,
  withSchedules as openSchedules,
  type OpenSchedules,
  unknownSchedulesIn,
} from '../../client/schedules/open-schedules.ts';
import { requireRange } from '../../client/schedules/check-schedule.ts';
import { DURATION_FORM, parseDuration } from '../../contract/times.ts';
import type { Flags } from '../commands/flags.ts';
import type { ExitName } from '../../contract/exit-codes.ts';
import { readApiAccess, readSettings, type CommandSettings } from '../connect/settings.ts';
import { unchangedError } from '../exit-error.ts';
import { oneLine, tableLines } from '../terminal/table.ts';
import { number } from '../terminal/words.ts';
import { flagOf } from '../terminal/tunable-words.ts';
import { lostWords } from './lost-schedule-words.ts';
import {
  checkLines,
  monthWords,
  noWorkerWords,
  priceLines,
  recentWords,
  replaceAdvice,
  scheduleLines,
  stateWords,
  unknownWords,
} from './schedule-words.ts';
import { openSession } from '../connect/connect-api.ts';
import { admittance } from '../trust/confirm.ts';

const COLUMNS = [
  { title: 'schedule', value: ({ schedule }: ScheduleLine) => schedule },
  { title: 'state', value: stateWords },
  { title: 'fires', value: ({ times }: ScheduleLine) => times },
  {
    title: 'next',
    value: ({ next, timezone, paused, lost }: ScheduleLine) =>
      next === null ? (paused || lost ? 'when resumed' : 'never') : timeInZone(Date.parse(next), timezone),
  },
  { title: 'last batch', value: ({ last }: ScheduleLine) => last ?? '' },
  { title: 'last outcome', value: recentWords },
] as const;

/** Shown if a schedule has a monthly budget. */
const MONTH_COLUMN = {
  title: 'left this month',
  value: ({ month }: ScheduleLine) =>
    month === null ? '' : `${number(month.left)} of ${number(month.credits)} credits`,
};

/** `voxbatch schedule list`. A home without a ledger has no schedules, which is no error and needs no server. */
export async function list(flags: Flags, { output }: RunContext): Promise<ExitName> {
  const { lines, noWorker } = await withSchedules(output, async (place) => {
    const all = await listSchedules(place);
    const [firstLost, ...otherLost] = namesOf(all, ({ lost }) => lost);
    if (firstLost !== undefined) output.say(lostWords([firstLost, ...otherLost]));
    const unattended = namesOf(all, ({ lost, worker }) => !lost && lacksWorker(worker, place.around));
    const unknown = await unknownSchedulesIn(place);
    if (unknown.length > 0) output.say(unknownWords(unknown));
    return { lines: all, noWorker: unattended.length === 0 ? undefined : noWorkerWords(unattended, place.around) };
  }).catch((error: unknown) => {
    if (error instanceof VoxbatchError && error.problem.type === 'no-ledger') return { lines: [], noWorker: undefined };
    throw error;
  });
  if (flags.json === true) output.data(jsonLine(lines));
  else if (lines.length > 0) {
    const columns = lines.some(({ month }) => month !== null) ? [...COLUMNS, MONTH_COLUMN] : COLUMNS;
    for (const line of tableLines(columns, lines)) output.data(line);
  }
  if (lines.length === 0) output.say('There is no schedule here yet. Make one: voxbatch schedule create NAME MANIFEST');
  if (noWorker !== undefined) output.say(noWorker);
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

/** `voxbatch schedule preview NAME`: shows the next ten firings, or those of a range, and what each would cost now. */
export async function preview(name: string, flags: Flags, { output }: RunContext): Promise<ExitName> {
  const range = flags.from === undefined && flags.to === undefined ? undefined : requireRange(flags, flagOf);
  return withSchedules<ExitName>(output, async (place, settings) => {
    const { account } = await readAccount(() => readApiAccess(settings, {}));
    const view = await previewFirings(place, name, { range, account });
    const { firings, paused, each, month } = view;
    printAnswer(output, flags, view, () => firings.map(({ local }) => local));
    if (firings.length === 0) output.say('It does not fire then.');
    if (paused) output.say(`It is paused, and fires only when it is resumed.`);
    if (each !== null) for (const line of priceLines(each, month)) output.say(line);
    if (month !== null) output.say(`Its ${monthWords(month)}.`);
    return 'complete';
  });
}

/** How far `schedule check` looks back: a day, and time for the batch of a daily schedule. */
const DEFAULT_SINCE = '26h';

/**
 * `voxbatch schedule check [NAME]`, for monitoring: prints a line for each occurrence since `--since`. Exits with
 * `failures` if one failed, did not take place, or waits for a worker, if a schedule has paused by itself, if Temporal
 * has lost one, or if the ledger does not have one.
 */
export async function check(name: string | undefined, flags: Flags, { output }: RunContext): Promise<ExitName> {
  const { since = DEFAULT_SINCE, pausedOk: isPauseFine, json } = flags;
  const sinceMs = parseDuration(since);
  if (sinceMs === undefined) throw unchangedError(`--since: expected ${DURATION_FORM}, got ${since}.`);
  return withSchedules<ExitName>(output, async (place) => {
    const view = await checkSchedules(place, { name, since: Date.now() - sinceMs, isPauseFine });
    const { schedules, strangers, inOrder } = view;
    printAnswer(output, { json }, view, () => [
      ...schedules.flatMap((schedule) => checkLines(schedule, since)),
      ...strangers.map(unknownLine),
    ]);
    if (schedules.length + strangers.length === 0) output.say('There is no schedule here.');
    const unattended = schedules.filter(({ lost, worker }) => !lost && !worker).map(({ schedule }) => schedule);
    if (unattended.length > 0) output.say(noWorkerWords(unattended, place.around));
    return inOrder ? 'complete' : 'failures';
  });
}

/** The line of a schedule that the ledger does not have. */
function unknownLine(name: string): string {
  return `AMISS ${oneLine(name)}: only Temporal has this schedule, the ledger does not know it: what it fires is refused. ${replaceAdvice(name)}`;
}

/**
 * Opens the ledger and Temporal for a command on schedules, runs `work`, and closes them. Starts no worker. `reason`:
 * why the user acts, for the record of actions.
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
