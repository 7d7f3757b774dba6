import type { Command } from 'commander';
import type { CommandContext } from '../command-context.ts';
import type { VoicesFlags } from '../account/voices.ts';

/** Adds `voices list` and `profile`: free reads of the account. */
export function addAccountCommands(program: Command, context: CommandContext): void {
  const withReadFlags = (command: Command): Command =>
    command
      .option('--api-url <url>', 'API address (default: VOXBATCH_API_URL)')
      .option('--json', 'Print one line of JSON');
  const voices = program
    .command('voices')
    .description("List the account's voices")
    .addHelpText('after', '\nExample:\n  voxbatch voices list\n');
  withReadFlags(voices.command('list'))
    .description('List the voices that the account can use; free')
    .option('--search <words>', 'Only voices that match these words')
    .addHelpText('after', '\nExample:\n  voxbatch voices list --search anna\n')
    .action(async (flags: VoicesFlags) => {
      const { listVoices } = await import('../account/voices.ts');
      context.done(await listVoices(flags, context.output));
    });
  withReadFlags(program.command('profile'))
    .description('Show the account of the token and its balance; free')
    .addHelpText('after', '\nExample:\n  voxbatch profile\n')
    .action(async (flags: { readonly json?: boolean; readonly apiUrl?: string }) => {
      const { profile } = await import('../account/profile.ts');
      context.done(await profile(flags, context.output));
    });
}
