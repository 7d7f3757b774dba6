import type { Command } from 'commander';
import type { CommandContext } from '../command-context.ts';
import type { Control } from '../../contract/outcomes.ts';
import type { ControlFlags } from '../steer/control.ts';
import type { TuneFlags } from '../steer/tune.ts';
import { addTuningFlags } from './tuning-flags.ts';

const COMMANDS: readonly (readonly [name: string, wish: Control, description: string])[] = [
  ['pause', 'paused', 'Send no more paid requests; running jobs are still fetched'],
  ['resume', 'running', 'Continue a paused batch'],
  ['stop', 'stopping', 'Send no more paid requests, fetch running jobs, cancel the rest'],
];

const STEERING = 'You can repeat this in any state of the batch. It starts no worker.';

/** Adds `pause`, `resume`, `stop` and `tune`. */
export function addControlCommands(program: Command, context: CommandContext): void {
  for (const [name, wish, description] of COMMANDS) {
    const command = program
      .command(name)
      .argument('[batch]', 'Name of the batch (default: the newest)')
      .description(description)
      .option('--json', 'Print one line of JSON')
      .addHelpText('after', `\n${STEERING}\n\nExample:\n  voxbatch ${name} lines\n`)
      .action(async (batch: string | undefined, flags: ControlFlags) => {
        const { control } = await import('../steer/control.ts');
        context.done(await control(batch, wish, flags, context.output));
      });
    if (wish === 'stopping')
      command.option('--now', 'Do not wait for running jobs; list them with their cost, and fetch them later for free');
  }
  addTuningFlags(program.command('tune'))
    .argument('[batch]', 'Name of the batch (default: the newest)')
    .description('Change limits, budget and policies of a running batch; without flags, show current values')
    .option('--json', 'Print one line of JSON')
    .addHelpText(
      'after',
      `\nSettings that you do not name stay as they are. Defaults are those of a new batch.\n${STEERING}\n\nExample:\n  voxbatch tune lines --rate 10 --budget 500\n`,
    )
    .action(async (batch: string | undefined, flags: TuneFlags) => {
      const { tune } = await import('../steer/tune.ts');
      context.done(await tune(batch, flags, context.output));
    });
}
