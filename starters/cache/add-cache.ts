import type { Command } from 'commander';
import type { CommandContext } from '../command-context.ts';
import { bytes, duration } from '../commands/flag-values.ts';
import type { PruneFlags } from './prune.ts';
import type { ShowFlags } from './show.ts';

/** Adds `cache` and its commands. */
export function addCacheCommands(program: Command, context: CommandContext): void {
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
      const { listCache } = await import('./list.ts');
      done(await listCache(flags, output));
    },
  );
  add('show', 'Show what the results of a row are known by, where they are kept, and who has them', 'show 7 lines')
    .argument('<row>', 'Id or number of the row')
    .argument('[batch]', 'Name of the batch (default: the newest); it may also stand before the row')
    .option('--batch <name>', 'The same, as a flag')
    .action(async (first: string, second: string | undefined, { batch: named, json }: ShowFlags) => {
      const { showCached } = await import('./show.ts');
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
      const { prune } = await import('./prune.ts');
      done(await prune(flags, output));
    });
}
