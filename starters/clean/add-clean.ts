import type { Command } from 'commander';
import type { CommandContext } from '../command-context.ts';
import type { CleanFlags } from './clean.ts';

/** Adds `clean`. */
export function addCleanCommand(program: Command, context: CommandContext): void {
  program
    .command('clean')
    .description('Remove the media of a finished batch, the records of its rows, or both; its bill stays')
    .argument('<batch>', 'Name of the batch')
    .option('--media', 'Remove its media from the store; out folders keep what they have')
    .option('--rows', 'Remove what its rows asked for, and their texts; it can then not be run again')
    .option('--all', 'Both')
    .option('--dry-run', 'Only show what it would remove')
    .option('-y, --yes', 'Do not ask for confirmation')
    .option('--json', 'Print one line of JSON')
    .addHelpText(
      'after',
      '\nRows whose requests may have been charged, or whose jobs may still run, stay as they are. Results that other batches\n' +
        'reused stay theirs. The name stays taken, because the bill is kept under it.\n' +
        '\nExample:\n  voxbatch clean lines --media --dry-run\n  voxbatch clean lines --all --yes\n',
    )
    .action(async (batch: string, flags: CleanFlags) => {
      const { clean } = await import('./clean.ts');
      context.done(await clean(batch, flags, context.output));
    });
}
