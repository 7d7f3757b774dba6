import { jsonLine, type RunContext, type Output } from '../terminal/output.ts';
import {
  changeSchedule,
  makeSchedule,
  type MadeSchedule,
  type Outlook,
  type WantedRun,
} from '../../client/schedules/make-schedule.ts';
import type { ShownSchedule } from '../../client/schedules/schedule-view.ts';
import { checkScheduleName, requireSpec, checkScheduledManifest } from '../../client/schedules/check-schedule.ts';
import { lacksWorker } from '../../client/schedules/open-schedules.ts';
import { defined } from '../../contract/defined.ts';
import type { ExitName } from '../../contract/exit-codes.ts';
import { FIRING_FLAGS } from '../commands/command-spec.ts';
import type { Flags } from '../commands/flags.ts';
import { readTuning } from '../commands/tuning-flags.ts';
import { openSession } from '../connect/connect-api.ts';
import { readSettings, type CommandSettings } from '../connect/settings.ts';
import { unchangedError } from '../exit-error.ts';
import { warnOfLedgerBeside } from '../run/open-manifest-argument.ts';
import { readRunFlags } from '../run/run-options.ts';
import { oneLine } from '../terminal/table.ts';
import { admittance, confirmConfig } from '../trust/confirm.ts';
import { flagOf } from '../terminal/tunable-words.ts';
import { droppedWords, noWorkerWords, priceLines, scheduleLines } from './schedule-words.ts';
import { withSchedules } from './look.ts';

/** `voxbatch schedule create NAME MANIFEST`. Spends nothing. */
export async function create(name: string, manifest: string, flags: Flags, { output }: RunContext): Promise<ExitName> {
  const settings = await readSettings();
  checkScheduleName(name);
  const spec = requireSpec(flags, flagOf);
  const wanted = await wantedRun(manifest, flags, settings);
  warnOfLedgerBeside(settings, manifest, ['schedule', 'create', name], output);
  const session = openSession(settings, flags, { mustExist: false, admit: admittance(settings, {}, output) });
  try {
    return report(
      await makeSchedule(session, { name, spec, wanted, mustRun: flags.check, reason: flags.reason }, output.say),
      flags,
      output,
    );
  } finally {
    await session.close();
  }
}

/** `voxbatch schedule update NAME`. Batches that run already stay as they are. */
export async function update(name: string, flags: Flags, { output }: RunContext): Promise<ExitName> {
  return withSchedules(
    output,
    async (place, settings) => {
      const { manifest, check: mustRun } = flags;
      if (manifest === undefined) refuseRunFlags(flags);
      const wanted = manifest === undefined ? undefined : await wantedRun(manifest, flags, settings);
      const { onEnd, notify } = readTuning(flags);
      const change = { written: flags, nameOf: flagOf, wanted, hooks: defined({ onEnd, notify }), mustRun };
      return report(await changeSchedule(place, name, change), flags, output);
    },
    flags.reason,
  );
}

/**
 * Throws for flags that say how batches are run, which need `--manifest`: an update replaces all of them together, and
 * a flag left out gets its default. Flags for when it fires, and hooks, can be changed alone.
 */
function refuseRunFlags(flags: Flags): void {
  const changeableAlone = ['json', 'reason', 'onEnd', 'notify', ...FIRING_FLAGS.split(' ')];
  const wrong = Object.keys(flags).find((name) => !changeableAlone.includes(name));
  if (wrong === undefined) return;
  throw unchangedError(`${flagOf(wrong)} needs --manifest FILE, and all other flags that the batches are to run with.`);
}

/** Returns how the schedule's batches are run, from the flags. Throws {@link ExitError} `usage`. */
async function wantedRun(manifest: string, flags: Flags, settings: CommandSettings): Promise<WantedRun> {
  checkScheduledManifest(manifest);
  const { out, ...rest } = flags;
  return { manifest, out, choices: await readRunFlags(manifest, rest, await confirmConfig(settings, {})) };
}

/**
 * Prints a schedule that was made or changed, and what it would run now. Throws {@link ExitError} `usage` if it was
 * refused because its manifest could not run.
 */
function report(made: MadeSchedule, { json }: { readonly json?: boolean }, output: Output): ExitName {
  if (made.type === 'unsound') {
    const { reason, more } = made.price;
    // `unchangedError` says itself that nothing was spent.
    const sentence = reason.replace(/(?: Nothing was spent)?[.]$/, '').replace(/[.]$/, '');
    throw unchangedError([`${sentence}.`, ...more].join('\n'));
  }
  const { schedule, around, outlook, before } = made;
  if (outlook !== undefined) {
    for (const line of outlookLines(outlook, schedule)) output.say(line);
    const dropped = before === undefined ? '' : droppedWords(before, outlook.run);
    if (dropped !== '') output.say(`Dropped, because it was not given with --manifest: ${oneLine(dropped)}.`);
  }
  if (json === true) {
    const { view } = schedule;
    output.data(jsonLine(view));
    if (lacksWorker(view.worker, around)) output.say(noWorkerWords([view.schedule], around));
  } else for (const line of scheduleLines(schedule, around)) output.say(line);
  return 'complete';
}

const UNCACHED = 'Results that are there already are not left out of this price; voxbatch schedule preview does that. ';

/** Describes what one firing would cost now, or what is wrong with the manifest, and warns if spending has no limit. */
function outlookLines({ price, run }: Outlook, { view, spec }: ShownSchedule): readonly string[] {
  const { budgetMonth, overlap } = spec;
  const [cost = '', ...others] = priceLines(price, view.month);
  const lines = [
    `${cost} ${price.type === 'unsound' ? '' : UNCACHED}The manifest is read again each time the schedule fires.`,
  ];
  if (price.type === 'unsound') lines.push(...price.more.map((line) => `  ${line}`));
  lines.push(...others);
  if ((run.tunables.budget ?? null) !== null) return lines;
  if (budgetMonth === null) {
    lines.push(
      'Warning: it has no budget: each run pays for whatever its manifest asks then. Set --budget (each run) or --budget-month.',
    );
  } else if (overlap === 'allow') {
    lines.push(
      'Warning: without --budget a run may spend all that is left of the month, so nothing is left for those beside it.',
    );
  }
  return lines;
}
