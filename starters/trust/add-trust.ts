import type { Command } from 'commander';
import type { CommandContext } from '../command-context.ts';
import type { TrustFlags } from './trust.ts';

/** Adds `trust`. */
export function addTrustCommand(program: Command, { done, output }: CommandContext): void {
  program
    .command('trust')
    .description("Confirm a folder's ledger, and what its config says about commands, addresses and money; shows both")
    .argument('[folder]', 'Folder with voxbatch.config.json or .voxbatch/', '.')
    .option('--remove', 'Take the confirmation back')
    .addHelpText('after', '\nExample:\n  voxbatch trust\n')
    .action(async (folder: string, flags: TrustFlags) => {
      const { trust } = await import('./trust.ts');
      done(await trust(folder, flags, output));
    });
}
