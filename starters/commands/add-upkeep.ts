import type { Command } from 'commander';
import type { CommandContext } from '../command-context.ts';
import { bytes, duration } from './flag-values.ts';
import type { PruneFlags, ShowFlags } from '../cache/cache.ts';
import type { CleanFlags } from '../clean/clean.ts';
import type { TrustFlags } from '../trust/trust.ts';

/** Adds `cache` and `clean`. */
export function addUpkeepCommands(program: Command, context: CommandContext): void {
  addCache(program, context);
  addClean(program, context);
}

/** Adds `cache` and its commands. */
function addCache(program: Command, context: CommandContext): void {
  const { output, done } = context;
  const cache = program
    .command('cache')
    .description('Look at the results that later rows can reuse, and remove old ones')
    .addHelpText('after', '\nExample:\n  voxbatch cache list\n');
  const add = (name: string, description: string, example: string): Command =>
    cache
      .command(name)
      .description(description)
      .option('--json', 'Print one line of JSON')
      .addHelpText('after', `\nExample:\n  voxbatch cache ${example}\n`);

  add('list', 'Show how much is kept: by batch, kind, voice and age', 'list').action(
    async (flags: { readonly json?: boolean }) => {
      const { listCache } = await import('../cache/cache.ts');
      done(await listCache(flags, output));
    },
  );
  add('show', 'Show what the results of a row are known by, where they are kept, and who has them', 'show 7 lines')
    .argument('<row>', 'Id or number of the row')
    .argument('[batch]', 'Name of the batch (default: the newest); it may also stand before the row')
    .option('--batch <name>', 'The same, as a flag')
    .action(async (first: string, second: string | undefined, { batch: named, json }: ShowFlags) => {
      const { showCached } = await import('../cache/cache.ts');
      done(await showCached({ first, second, named, json }, output));
    });
  add(
    'prune',
    'Remove results that were not used for long; bills and out folders stay',
    'prune --older-than 30d --dry-run',
  )
    .option('--older-than <time>', 'Results that no row made or reused for this long: 12h, 30d, 8w', duration)
    .option('--keep-bytes <size>', 'Keep those used last, up to this size: 500MB, 10GB', bytes)
    .option('--dry-run', 'Only show what it would remove')
    .option('-y, --yes', 'Do not ask for confirmation')
    .action(async (flags: PruneFlags) => {
      const { prune } = await import('../cache/cache.ts');
      done(await prune(flags, output));
    });
}

/** Adds `clean`. */
function addClean(program: Command, context: CommandContext): void {
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
      const { clean } = await import('../clean/clean.ts');
      context.done(await clean(batch, flags, context.output));
    });
}

/** Adds `trust`. */
export function addTrustCommand(program: Command, { done, output }: CommandContext): void {
  program
    .command('trust')
    .description("Confirm a folder's ledger, and what its config says about commands, addresses and money; shows both")
    .argument('[folder]', 'Folder with voxbatch.config.json or .voxbatch/', '.')
    .option('--remove', 'Take the confirmation back')
    .addHelpText('after', '\nExample:\n  voxbatch trust\n')
    .action(async (folder: string, flags: TrustFlags) => {
      const { trust } = await import('../trust/trust.ts');
      done(await trust(folder, flags, output));
    });
}
