import { checkSchedules, isInOrder, type ScheduleCheck } from '../../client/schedules/check-schedules.ts';
import type { ExitName } from '../../contract/exit-codes.ts';
import { shellWord } from '../../contract/shell-word.ts';
import { DURATION_FORM, parseDuration } from '../../contract/duration.ts';
import { unchangedError } from '../exit-error.ts';
import type { Output } from '../terminal/output.ts';
import { occurrenceJson, occurrenceWords } from './schedule-words.ts';
import { isLeftAlone, nobodyFires } from './surroundings.ts';
import { withSchedules } from './with-schedules.ts';

export interface CheckFlags {
  readonly json?: boolean;
  /** A length of time. Default `26h`: a day, and time for its batch. */
  readonly since?: string;
  /** Default false. */
  readonly pausedOk?: boolean;
}

const DEFAULT_SINCE = '26h';

/**
 * `voxbatch schedule check [NAME]`, for a monitor: a line for each occurrence since then. Ends as `failures` if one failed or did not take place, if one
 * stands still because no worker is there, or if Temporal has lost a schedule.
 */
export async function check(name: string | undefined, flags: CheckFlags, output: Output): Promise<ExitName> {
  const { since: text = DEFAULT_SINCE } = flags;
  const sinceMs = parseDuration(text);
  if (sinceMs === undefined) throw unchangedError(`--since: expected ${DURATION_FORM}, got ${text}.`);
  return withSchedules<ExitName>(output, async (place, around) => {
    const { isDeserted } = around;
    const how = { since: Date.now() - sinceMs, isPauseFine: flags.pausedOk, isDeserted };
    const checks = await checkSchedules(place, { name, ...how });
    const isFine = checks.every(isInOrder);
    if (flags.json === true) output.data(JSON.stringify({ in_order: isFine, schedules: checks.map(checkJson) }));
    else for (const one of checks) for (const line of checkLines(one, text)) output.data(line);
    if (checks.length === 0) output.say('There is no schedule here.');
    const alone = checks.filter((one) => one.type === 'found' && isLeftAlone(one, around));
    if (alone.length > 0)
      output.say(
        nobodyFires(
          alone.map((one) => one.name),
          around,
        ),
      );
    return isFine ? 'complete' : 'failures';
  });
}

function checkLines(check: ScheduleCheck, since: string): readonly string[] {
  if (check.type === 'lost') {
    return [
      `AMISS ${check.name}: Temporal does not know this schedule any more. ` +
        `Create it again, or forget it: voxbatch schedule delete ${shellWord(check.name)}`,
    ];
  }
  const { name, timezone, occurrences } = check;
  if (occurrences.length === 0) return [`ok    ${name}: was not due in the last ${since}`];
  return occurrences.map((one) => `${one.isAmiss ? 'AMISS' : 'ok   '} ${occurrenceWords(one, timezone)}`);
}

function checkJson(check: ScheduleCheck): object {
  if (check.type === 'lost') return { schedule: check.name, lost: true };
  const { name, isPaused, hasWorker, occurrences } = check;
  return {
    schedule: name,
    lost: false,
    paused: isPaused,
    worker: hasWorker,
    occurrences: occurrences.map((one) => ({ ...occurrenceJson(one), amiss: one.isAmiss })),
  };
}
