import { resolve } from 'node:path';
import { scheduledRunOf } from '../../batches/schedules/scheduled-run.ts';
import { openTemporal } from '../../client/temporal/open-temporal.ts';
import { requireFinishing } from '../../client/sound/require-finishing.ts';
import { realmOf } from '../../client/open-api.ts';
import { adoptSettings } from '../../client/schedules/adopt-settings.ts';
import { checkScheduleName, createSchedule, requireSpec } from '../../client/schedules/create-schedule.ts';
import { showSchedule } from '../../client/schedules/look-at-schedules.ts';
import type { SchedulePlace } from '../../client/schedules/place.ts';
import { updateSchedule } from '../../client/schedules/steer-schedule.ts';
import { defined } from '../../contract/defined.ts';
import type { ExitName } from '../../contract/exit-codes.ts';
import { urlSchemeOf } from '../../contract/url-scheme.ts';
import type { ScheduleHooks } from '../../contract/schedule.ts';
import { isManifestUrl, isUrl, MANIFEST_URL_FORM } from '../../inputs/manifest-url.ts';
import type { ScheduledRun } from '../../inputs/schedules/scheduled-run.ts';
import { readTuning } from '../commands/tuning-flags.ts';
import { sayLedgerBeside } from '../run/ledger-beside.ts';
import { planRun, type RunFlags } from '../run/run-options.ts';
import { unchangedError } from '../exit-error.ts';
import { openSession } from '../connect/open-api.ts';
import { readSettings, type CommandSettings } from '../connect/settings.ts';
import type { Output } from '../terminal/output.ts';
import { oneLine } from '../terminal/table.ts';
import { lookAhead, tellAhead, type CheckedFlags } from './look-ahead.ts';
import { droppedWords } from './run-words.ts';
import { scheduleJson, scheduleLines } from './schedule-words.ts';
import { flagOf, type SpecFlags } from './spec-flags.ts';
import { isLeftAlone, lookAround, nobodyFires, type Surroundings } from './surroundings.ts';
import { admittance } from '../trust/admit-ledger.ts';
import { confirmConfig } from '../trust/confirmed-settings.ts';
import { withSchedules } from './with-schedules.ts';

/** Flags of `schedule create`: when it fires, and how each batch is run. */
export type CreateFlags = SpecFlags & CheckedFlags & Omit<RunFlags, 'name' | 'yes' | 'detach' | 'dryRun' | 'resubmit'>;

/** `voxbatch schedule create NAME MANIFEST`. Spends nothing. */
export async function create(name: string, manifest: string, flags: CreateFlags, output: Output): Promise<ExitName> {
  const settings = await readSettings();
  checkScheduleName(name);
  const spec = requireSpec(flags, flagOf);
  const { run, hooks } = await planScheduled(manifest, flags, settings);
  sayLedgerBeside(settings, manifest, ['schedule', 'create', name], output);
  const session = openSession(settings, flags, { mustExist: false, admit: admittance(settings, {}, output) });
  try {
    const price = await lookAhead(run, flags, spec);
    const realm = realmOf(await session.api());
    const ledger = await session.ledger();
    // First: the command joins.
    const around = lookAround(settings);
    const temporal = await openTemporal(settings, { say: output.say });
    try {
      const place = { temporal, ledger };
      await adoptSettings(place, output.say);
      await createSchedule(place, { name, spec, run, hooks, realm });
      tellAhead(price, run, spec, output);
      return await report(place, name, { isJson: flags.json === true, around }, output);
    } finally {
      await temporal.close();
    }
  } finally {
    await session.close();
  }
}

/** Flags of `schedule update`. With a manifest, they replace how its batches are run; otherwise that stays. */
export type UpdateFlags = CreateFlags & { readonly manifest?: string };

/** Flags of `update` that need no manifest: those of the spec. */
const OF_THE_SPEC: readonly string[] = [
  'every',
  'cron',
  'calendar',
  'timezone',
  'jitter',
  'overlap',
  'catchUp',
  'pauseOnFailure',
  'until',
  'runs',
  'budgetMonth',
] satisfies readonly (keyof SpecFlags)[];

/** Flags of `update` that need no manifest either: those of the schedule's record in the ledger. */
const HOOKS: readonly string[] = ['onEnd', 'notify'] satisfies readonly (keyof ScheduleHooks)[];

/** `voxbatch schedule update NAME`. A running batch stays as it is. */
export async function update(name: string, flags: UpdateFlags, output: Output): Promise<ExitName> {
  return withSchedules(output, async (place, around, settings) => {
    const { manifest } = flags;
    if (manifest === undefined) refuseRunFlags(flags);
    const run = manifest === undefined ? undefined : (await planScheduled(manifest, flags, settings)).run;
    const before = run === undefined ? undefined : await showSchedule(place, name);
    const spec = before === undefined ? undefined : requireSpec(flags, flagOf, before.spec);
    const price = run === undefined || spec === undefined ? undefined : await lookAhead(run, flags, spec);
    const { onEnd, notify } = readTuning(flags);
    await updateSchedule(place, name, { written: flags, run, hooks: defined({ onEnd, notify }), nameOf: flagOf });
    if (run !== undefined && price !== undefined) {
      tellAhead(price, run, (await showSchedule(place, name)).spec, output);
      const dropped = before?.run === undefined ? '' : droppedWords(before.run, run);
      if (dropped !== '') output.say(`Dropped, because it was not given with --manifest: ${oneLine(dropped)}.`);
    }
    return report(place, name, { isJson: flags.json === true, around }, output);
  });
}

/** How a batch is run is given as a whole: a flag that is left out has its default. */
function refuseRunFlags(flags: UpdateFlags): void {
  // The only flag with a default of commander's own.
  const idle = ['json', ...(flags.tts === 'job' ? ['tts'] : [])];
  const lost = Object.keys(flags).find((name) => ![...OF_THE_SPEC, ...HOOKS, ...idle].includes(name));
  if (lost === undefined) return;
  const flag = `--${lost.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
  throw unchangedError(`${flag} needs --manifest FILE, and all other flags that the batches are to run with.`);
}

/**
 * What to run, settled as far as possible before the manifest is read, and the hooks of its batches. Throws {@link VoxbatchError} (`bad-option`) for
 * sound that this machine cannot finish: at night nobody would see it.
 */
async function planScheduled(
  manifest: string,
  flags: CreateFlags,
  settings: CommandSettings,
): Promise<{ readonly run: ScheduledRun; readonly hooks: ScheduleHooks }> {
  if (manifest === '-' || (isUrl(manifest) && !isManifestUrl(manifest))) {
    const came = manifest === '-' ? 'standard input' : `a ${urlSchemeOf(manifest) ?? ''}: URL`;
    throw unchangedError(
      `The manifest of a schedule is read each time it fires: expected a file, a pattern such as 'drop/*.csv', or ${MANIFEST_URL_FORM}, got ${came}.`,
    );
  }
  const { out, ...rest } = flags;
  const plan = planRun(manifest, rest, await confirmConfig(settings, {}));
  await requireFinishing(plan.settings.reading, settings.env);
  const { onEnd, notify } = plan.settings;
  const run = scheduledRunOf(plan, {
    manifest: isUrl(manifest) ? manifest : resolve(manifest),
    outFolder: resolve(out ?? 'out'),
    probe: plan.probe,
    confirmAbove: plan.confirmAbove,
  });
  return { run, hooks: { onEnd, notify } };
}

/** Shows the schedule as Temporal holds it. */
async function report(
  place: SchedulePlace,
  name: string,
  { isJson, around }: { readonly isJson: boolean; readonly around: Surroundings },
  output: Output,
): Promise<ExitName> {
  const view = await showSchedule(place, name);
  if (isJson) {
    output.data(JSON.stringify(scheduleJson(view)));
    if (isLeftAlone(view, around)) output.say(nobodyFires([name], around));
  } else for (const line of scheduleLines(view, around)) output.say(line);
  return 'complete';
}
