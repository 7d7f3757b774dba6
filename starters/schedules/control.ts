import { jsonLine, type RunContext, type Output } from '../terminal/output.ts';
import { isAttended } from '../../client/schedules/schedule-view.ts';
import { lacksWorker, type OpenSchedules } from '../../client/schedules/open-schedules.ts';
import { requirePastRange } from '../../client/schedules/check-schedule.ts';
import {
  backfillSchedule,
  deleteSchedule,
  pauseSchedule,
  triggerSchedule,
} from '../../client/schedules/control-schedule.ts';
import { resumeOrRemake } from '../../client/schedules/make-schedule.ts';
import { triggerAndWait, type Triggered } from '../../client/schedules/trigger-and-wait.ts';
import type { Flags } from '../commands/flags.ts';
import type { ExitName } from '../../contract/exit-codes.ts';
import { shellWord } from '../../contract/shell-word.ts';
import { flagOf } from '../terminal/tunable-words.ts';
import { backfillWords, endingWords, noWorkerWords } from './schedule-words.ts';
import { forgetTake, noteTake } from '../recorded-take.ts';
import { withSchedules } from './look.ts';

/** `voxbatch schedule pause NAME`. */
export async function pause(name: string, flags: Flags, { output }: RunContext): Promise<ExitName> {
  return controlSchedule(name, 'paused', flags, output, async (place) => {
    await pauseSchedule(place, name, flags.note ?? 'paused by hand');
    return (
      `Schedule "${name}" is paused: it does not fire. A running batch continues; triggers and backfills that have not begun are void. ` +
      `To resume it: voxbatch schedule resume ${shellWord(name)}`
    );
  });
}

/** `voxbatch schedule resume NAME`. */
export async function resume(name: string, flags: Flags, { output }: RunContext): Promise<ExitName> {
  return controlSchedule(name, 'resumed', flags, output, async (place) => {
    const isRemade = await resumeOrRemake(place, name, flags.note ?? 'resumed by hand');
    return (
      `Schedule "${name}" ${isRemade ? 'is made again in Temporal, which had lost it, and fires' : 'fires again'}. What it missed meanwhile stays missed; to make up for it: ` +
      `voxbatch schedule backfill ${shellWord(name)} --from TIME --to TIME`
    );
  });
}

/** `voxbatch schedule delete NAME`. */
export async function remove(name: string, flags: Flags, { output }: RunContext): Promise<ExitName> {
  return controlSchedule(name, 'deleted', flags, output, async (place) => {
    await deleteSchedule(place, name);
    return `Schedule "${name}" is deleted. Its batches and their files stay; a running batch continues.`;
  });
}

/** `voxbatch schedule backfill NAME --from TIME --to TIME`. */
export async function backfill(name: string, flags: Flags, { output }: RunContext): Promise<ExitName> {
  const range = requirePastRange(flags, flagOf);
  return controlSchedule(name, 'backfilled', flags, output, async (place) => {
    return backfillWords(name, await backfillSchedule(place, name, range, flags.overlap));
  });
}

/** Flags of `trigger`, whose `--wait` takes no value: wait until the batch has ended. */
type TriggerFlags = Omit<Flags, 'wait'> & { readonly wait?: boolean };

/** `voxbatch schedule trigger NAME`. With `--wait` it exits with the batch's exit code. */
export async function trigger(name: string, flags: TriggerFlags, { output, takeNote }: RunContext): Promise<ExitName> {
  if (flags.wait === true) return triggerToEnd(name, flags, { output, takeNote });
  return controlSchedule(name, 'triggered', flags, output, async (place) => {
    await triggerSchedule(place, name, flags.overlap, () => {
      noteFiring(name, takeNote);
    });
    const message = `Schedule "${name}" fires now. To see what comes of it: voxbatch schedule show ${shellWord(name)}`;
    const isUnattended = lacksWorker(await isAttended(place, name), place.around);
    return isUnattended ? [message, noWorkerWords([name], place.around)] : message;
  });
}

async function triggerToEnd(
  name: string,
  { overlap, json, reason }: TriggerFlags,
  { output, takeNote }: Pick<RunContext, 'output' | 'takeNote'>,
): Promise<ExitName> {
  return withSchedules<ExitName>(
    output,
    async (place) => {
      const noWorker = noWorkerWords([name], place.around);
      const triggered = await triggerAndWait(place, name, {
        overlap,
        onEvent: (event) => {
          if (event.type === 'asking') {
            noteFiring(name, takeNote);
            return;
          }
          output.say(
            event.type === 'alone'
              ? noWorker
              : `Schedule "${name}" fires: batch ${event.batch}. Waiting for its end; Ctrl-C ends only the waiting.`,
          );
        },
      });
      if (triggered.type !== 'over') {
        forgetTake(takeNote);
        const [exit, message] = NOT_OVER[triggered.type];
        output.say(`Schedule "${name}" ${message}${triggered.type === 'unattended' ? ` ${noWorker}` : ''}`);
        return exit;
      }
      const { occurrence, exit = 'failures', out } = triggered;
      output.say(endingWords(occurrence, name, out));
      if (json === true) output.data(jsonLine({ schedule: name, done: 'triggered', ...occurrence }));
      return exit;
    },
    reason,
  );
}

/** Notes the firing, because repeating the command would fire the schedule a second time. */
function noteFiring(name: string, takeNote: RunContext['takeNote']): void {
  noteTake(takeNote, `voxbatch schedule show ${shellWord(name)}`);
}

/** The exit code and the message, after the schedule's name, of a trigger that made no batch. */
const NOT_OVER: Readonly<Record<Exclude<Triggered['type'], 'over'>, readonly [ExitName, string]>> = {
  unattended: ['unreachable', 'was not triggered.'],
  dropped: ['unfinished', 'did not fire: one of its batches runs, and the overlap policy dropped this firing.'],
  unseen: [
    'unreachable',
    'has not fired: the server took the trigger and did nothing with it. Nothing was spent by it. Trigger it again.',
  ],
  refused: [
    'failures',
    'fired, and made no batch: it was paused or changed meanwhile, or the firing was ended in Temporal. Nothing was spent by it.',
  ],
};

/** Runs `work`, prints its lines, and with `--json` one line of JSON. */
async function controlSchedule(
  name: string,
  done: string,
  flags: Pick<Flags, 'json' | 'note' | 'reason'>,
  output: Output,
  work: (place: OpenSchedules) => Promise<string | readonly string[]>,
): Promise<ExitName> {
  return withSchedules<ExitName>(
    output,
    async (place) => {
      for (const line of [await work(place)].flat()) output.say(line);
      if (flags.json === true) output.data(jsonLine({ schedule: name, done }));
      return 'complete';
    },
    flags.reason ?? flags.note,
  );
}
