import type { Command } from 'commander';
import type { CommandContext } from '../command-context.ts';
import { withReadFlags, type ReadFlags } from '../commands/read-flags.ts';
import type { DeleteFlags } from './delete.ts';
import type { ListFlags } from './list.ts';

/** Adds `voices` and what can be done with them. */
export function addVoiceCommands(program: Command, context: CommandContext): void {
  const voices = program
    .command('voices')
    .description("List and manage the account's voices")
    .addHelpText('after', '\nExample:\n  voxbatch voices list\n');
  addLooks(voices, context);
  withReadFlags(voices.command('delete'))
    .description('Delete a voice of the account for good, unless an open batch needs it; free')
    .argument('<voice>', 'Its id, or name: and its name, as in name:Ada')
    .option('--api-dialect <dialect>', 'Paths of the API to use: v1 or legacy (default: v1)')
    .option('-y, --yes', 'Do not ask for confirmation')
    .addHelpText('after', '\nExample:\n  voxbatch voices delete name:Ada\n')
    .action(async (voice: string, flags: DeleteFlags) => {
      const { deleteVoice } = await import('./delete.ts');
      context.done(await deleteVoice(voice, flags, context.output));
    });
}

/** Adds what only reads. */
function addLooks(voices: Command, { done, output }: CommandContext): void {
  withReadFlags(voices.command('list'))
    .description('List the voices that the account can use; free')
    .option('--search <words>', 'Only voices that match these words')
    .option('--provider <name>', 'Only voices of this provider')
    .addHelpText('after', '\nExample:\n  voxbatch voices list --search anna --provider fishaudio\n')
    .action(async (flags: ListFlags) => {
      const { listVoices } = await import('./list.ts');
      done(await listVoices(flags, output));
    });
  withReadFlags(voices.command('show'))
    .description('Show what the API says of a voice, and which open batches need it; free')
    .argument('<voice>', 'Its id, or name: and its name, as in name:Ada')
    .addHelpText('after', '\nExample:\n  voxbatch voices show name:Ada\n')
    .action(async (voice: string, flags: ReadFlags) => {
      const { showVoice } = await import('./show.ts');
      done(await showVoice(voice, flags, output));
    });
}
