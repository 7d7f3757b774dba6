import type { Command } from 'commander';
import type { Control } from '../../contract/outcomes.ts';
import type { CommandContext } from '../command-context.ts';

const COMMANDS: readonly (readonly [name: string, control: Control, description: string])[] = [
  ['pause', 'paused', 'send no more paid requests; jobs that run are still fetched'],
  ['resume', 'running', 'go on after a pause'],
  ['stop', 'stopping', 'send no more paid requests, fetch what runs, cancel the rest'],
];

/** Adds `pause`, `resume` and `stop`. */
export function addControlCommands(program: Command, context: CommandContext): void {
  for (const [name, control, description] of COMMANDS) {
    program
      .command(name)
      .argument('[batch]', 'name of the batch (default: the newest)')
      .description(description)
      .addHelpText('after', `\nExample:\n  voxbatch ${name} lines\n`)
      .action(async (batch: string | undefined) => {
        const command = await import('./control.ts');
        context.done(await command.control(batch, control, context.output));
      });
  }
}
