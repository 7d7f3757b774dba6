import { Option, type Command } from 'commander';
import { OVERLAP_POLICIES } from '../../policy/schedules/schedule-spec.ts';
import type { CommandContext } from '../command-context.ts';
import { credits } from '../commands/flag-values.ts';
import { addPricingFlags, addReadingFlags } from '../commands/manifest-flags.ts';
import type { CheckFlags } from './check.ts';
import type { LookFlags, PreviewFlags } from './look.ts';
import type { CreateFlags, UpdateFlags } from './make.ts';
import { addRangeFlags } from './range-flags.ts';
import { addSpecFlags } from './spec-flags.ts';
import type { BackfillFlags, SteerFlags } from './steer.ts';
import type { TriggerFlags } from './trigger.ts';

const NAME = 'Name of the schedule';
const JSON_LINE = 'Print one line of JSON';

/** Makes a command of `schedule`, with its example. */
type AddCommand = (name: string, description: string, example: string) => Command;

/** Adds `schedule` and its commands. */
export function addScheduleCommands(program: Command, context: CommandContext): void {
  const schedule = program
    .command('schedule')
    .description('Run a manifest again and again, each time as a batch of its own')
    .addHelpText('after', '\nExample:\n  voxbatch schedule create nightly lines.csv --cron "0 2 * * *" --budget 500\n');
  const add: AddCommand = (name, description, example) =>
    schedule
      .command(name)
      .description(description)
      .option('--json', JSON_LINE)
      .addHelpText('after', `\nExample:\n  voxbatch schedule ${example}\n`);
  addMakers(add, context);
  addLooks(add, context);
  addFirings(add, context);
  addSteering(add, context);
}

function addMakers(add: AddCommand, { output, done }: CommandContext): void {
  const makes = (command: Command): Command =>
    addPricingFlags(addReadingFlags(addSpecFlags(command)))
      .option('--check', 'Refuse a manifest that could not run now, instead of warning of it')
      .option('--confirm <credits>', 'Refuse a firing that costs more than this: nobody can be asked', credits)
      .option('-o, --out <folder>', "Folder that gets a folder for each batch's results (default: out)");
  makes(
    add(
      'create',
      'Make a schedule; spends nothing before it fires',
      'create nightly lines.csv --every 1d --budget 500',
    ),
  )
    .argument('<name>', `${NAME}; its batches are called NAME.2026-12-01T02-00-00Z`)
    .argument(
      '<manifest>',
      'CSV, TSV or JSONL, read each time it fires: a file, a pattern of files, or an https:// URL',
    )
    .option('--api-url <url>', 'API address (default: VOXBATCH_API_URL)')
    .action(async (name: string, manifest: string, typed: CreateFlags) => {
      const { create } = await import('./make.ts');
      done(await create(name, manifest, typed, output));
    });
  makes(add('update', 'Change when a schedule fires, or what it runs', 'update nightly --cron "0 3 * * *"'))
    .argument('<name>', NAME)
    .option('--manifest <place>', 'Run this manifest, with the flags of this command; without it, what it runs stays')
    .action(async (name: string, typed: UpdateFlags) => {
      const { update } = await import('./make.ts');
      done(await update(name, typed, output));
    });
}

function addLooks(add: AddCommand, { output, done }: CommandContext): void {
  add('list', 'List schedules, and say if no worker is there for them', 'list').action(async (flags: LookFlags) => {
    const { list } = await import('./look.ts');
    done(await list(flags, output));
  });
  add('show', 'Show a schedule: what became of its last firings, and when it fires next', 'show nightly')
    .argument('<name>', NAME)
    .action(async (name: string, flags: LookFlags) => {
      const { show } = await import('./look.ts');
      done(await show(name, flags, output));
    });
  add('check', 'Say what became of each firing; exit code 10 if one failed or did not take place', 'check --since 26h')
    .argument('[name]', `${NAME} (default: all)`)
    .option('--since <duration>', 'How far to look back: 26h, 7d (default: 26h)')
    .option('--paused-ok', 'Take what was skipped while a schedule was paused by hand for in order')
    .action(async (name: string | undefined, flags: CheckFlags) => {
      const { check } = await import('./check.ts');
      done(await check(name, flags, output));
    });
  addRangeFlags(add('preview', 'Show when a schedule fires, and what that would cost now', 'preview nightly'))
    .argument('<name>', NAME)
    .action(async (name: string, flags: PreviewFlags) => {
      const { preview } = await import('./look.ts');
      done(await preview(name, flags, output));
    });
}

function addSteering(add: AddCommand, { output, done }: CommandContext): void {
  const withNote = (command: Command): Command =>
    command.argument('<name>', NAME).option('--note <words>', 'Why; `show` and `list` say it');
  withNote(
    add('pause', 'Stop a schedule from firing; a running batch continues', 'pause nightly --note "new voices"'),
  ).action(async (name: string, flags: SteerFlags) => {
    const { pause } = await import('./steer.ts');
    done(await pause(name, flags, output));
  });
  withNote(add('resume', 'Let a paused schedule fire again', 'resume nightly')).action(
    async (name: string, flags: SteerFlags) => {
      const { resume } = await import('./steer.ts');
      done(await resume(name, flags, output));
    },
  );
  add('delete', 'Delete a schedule; its batches and their files stay', 'delete nightly')
    .argument('<name>', NAME)
    .action(async (name: string, flags: SteerFlags) => {
      const { remove } = await import('./steer.ts');
      done(await remove(name, flags, output));
    });
}

/** Commands that fire a schedule outside of its times. */
function addFirings(add: AddCommand, { output, done }: CommandContext): void {
  const overlap = (usual: string): Option =>
    new Option('--overlap <policy>', `If another of its batches runs (default: ${usual})`).choices(OVERLAP_POLICIES);
  add('trigger', 'Fire a schedule now, even if it is paused', 'trigger nightly')
    .argument('<name>', NAME)
    .addOption(overlap('allow'))
    .option('--wait', 'Wait until its batch has ended, and exit as that batch did')
    .action(async (name: string, flags: TriggerFlags) => {
      const { trigger } = await import('./trigger.ts');
      done(await trigger(name, flags, output));
    });
  addRangeFlags(
    add(
      'backfill',
      'Fire a schedule for times that have passed',
      'backfill nightly --from 2026-12-01T00:00Z --to 2026-12-07T00:00Z',
    ),
  )
    .argument('<name>', NAME)
    .addOption(overlap('buffer-all'))
    .action(async (name: string, flags: BackfillFlags) => {
      const { backfill } = await import('./steer.ts');
      done(await backfill(name, flags, output));
    });
}
