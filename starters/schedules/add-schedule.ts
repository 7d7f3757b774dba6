import { Option, type Command } from 'commander';
import type { ExitName } from '../../contract/exit-codes.ts';
import { OVERLAP_POLICIES } from '../../contract/schedule.ts';
import type { CommandContext } from '../command-context.ts';
import { credits } from '../commands/flag-values.ts';
import { addPricingFlags, addReadingFlags } from '../commands/manifest-flags.ts';
import type { Output } from '../terminal/output.ts';
import { addRangeFlags, addSpecFlags } from './flags.ts';
import type { LookFlags } from './look.ts';
import type { CreateFlags } from './make.ts';

const NAME = 'Name of the schedule';
const JSON_LINE = 'Print one line of JSON';

/** A command on a schedule, or on all. */
type Work<Name, Flags> = (name: Name, flags: Flags, output: Output) => Promise<ExitName>;

/** Adds `schedule` and its commands. Their modules are loaded when they are called. */
export function addScheduleCommands(program: Command, { output, done }: CommandContext): void {
  const schedule = program
    .command('schedule')
    .description('Run a manifest again and again, each time as a batch of its own')
    .addHelpText('after', '\nExample:\n  voxbatch schedule create nightly lines.csv --cron "0 2 * * *" --budget 500\n');
  const add = (name: string, description: string, example: string): Command =>
    schedule
      .command(name)
      .description(description)
      .option('--json', JSON_LINE)
      .addHelpText('after', `\nExample:\n  voxbatch schedule ${example}\n`);
  const by =
    <Name, Flags>(load: () => Promise<Work<Name, Flags>>) =>
    async (name: Name, flags: Flags): Promise<void> => {
      done(await (await load())(name, flags, output));
    };
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
    .action(by(async () => (await import('./make.ts')).update));
  add('list', 'List schedules, and say if no worker is there for them', 'list').action(async (flags: LookFlags) => {
    const { list } = await import('./look.ts');
    done(await list(flags, output));
  });
  add('show', 'Show a schedule: what became of its last firings, and when it fires next', 'show nightly')
    .argument('<name>', NAME)
    .action(by(async () => (await import('./look.ts')).show));
  add('check', 'Say what became of each firing; exit code 10 if one failed or did not take place', 'check --since 26h')
    .argument('[name]', `${NAME} (default: all)`)
    .option('--since <duration>', 'How far to look back: 26h, 7d (default: 26h)')
    .option('--paused-ok', 'Take what was skipped while a schedule was paused by hand for in order')
    .action(by(async () => (await import('./look.ts')).check));
  addRangeFlags(add('preview', 'Show when a schedule fires, and what that would cost now', 'preview nightly'))
    .argument('<name>', NAME)
    .action(by(async () => (await import('./look.ts')).preview));
  const overlap = (usual: string): Option =>
    new Option('--overlap <policy>', `If another of its batches runs (default: ${usual})`).choices(OVERLAP_POLICIES);
  add('trigger', 'Fire a schedule now, even if it is paused', 'trigger nightly')
    .argument('<name>', NAME)
    .addOption(overlap('allow'))
    .option('--wait', 'Wait until its batch has ended, and exit as that batch did')
    .action(by(async () => (await import('./steer.ts')).trigger));
  addRangeFlags(
    add(
      'backfill',
      'Fire a schedule for times that have passed',
      'backfill nightly --from 2026-12-01T00:00Z --to 2026-12-07T00:00Z',
    ),
  )
    .argument('<name>', NAME)
    .addOption(overlap('buffer-all'))
    .action(by(async () => (await import('./steer.ts')).backfill));
  const withNote = (command: Command): Command =>
    command.argument('<name>', NAME).option('--note <words>', 'Why; `show` and `list` say it');
  withNote(
    add('pause', 'Stop a schedule from firing; a running batch continues', 'pause nightly --note "new voices"'),
  ).action(by(async () => (await import('./steer.ts')).pause));
  withNote(add('resume', 'Let a paused schedule fire again', 'resume nightly')).action(
    by(async () => (await import('./steer.ts')).resume),
  );
  add('delete', 'Delete a schedule; its batches and their files stay', 'delete nightly')
    .argument('<name>', NAME)
    .action(by(async () => (await import('./steer.ts')).remove));
}
