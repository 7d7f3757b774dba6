import type { Command } from 'commander';
import type { CommandContext } from '../command-context.ts';
import type { ControlFlags, Wish } from './control.ts';
import type { TuneFlags } from './tune.ts';
import { addTuningFlags } from './tuning-flags.ts';

const COMMANDS: readonly (readonly [name: string, wish: Wish, description: string])[] = [
  ['pause', 'paused', 'send no more paid requests; jobs that run are still fetched'],
  ['resume', 'running', 'go on after a pause'],
  ['stop', 'stopping', 'send no more paid requests, fetch what runs, cancel the rest'],
];

const STEERING =
  'All of these may be repeated, in every state of the batch, and by several people at once. They start no worker.';

/** Adds `pause`, `resume`, `stop` and `tune`. */
export function addControlCommands(program: Command, context: CommandContext): void {
  for (const [name, wish, description] of COMMANDS) {
    const command = program
      .command(name)
      .argument('[batch]', 'name of the batch (default: the newest)')
      .description(description)
      .option('--json', 'print one line of JSON')
      .addHelpText('after', `\n${STEERING}\n\nExample:\n  voxbatch ${name} lines\n`)
      .action(async (batch: string | undefined, flags: ControlFlags) => {
        const { control } = await import('./control.ts');
        context.done(await control(batch, wish, flags, context.output));
      });
    if (wish === 'stopping')
      command.option(
        '--now',
        'wait for no job: list what still runs at the API and what it costs; fetch it later, free',
      );
  }
  addTuningFlags(program.command('tune'))
    .argument('[batch]', 'name of the batch (default: the newest)')
    .description('change limits, budget and policies of a batch while it runs; without a flag, say what holds')
    .option('--json', 'print one line of JSON')
    .addHelpText(
      'after',
      `\nWhat is not given stays as it is; the defaults are those of a new batch.\n${STEERING}\n\nExample:\n  voxbatch tune lines --rate 10 --budget 500\n`,
    )
    .action(async (batch: string | undefined, flags: TuneFlags) => {
      const { tune } = await import('./tune.ts');
      context.done(await tune(batch, flags, context.output));
    });
}
