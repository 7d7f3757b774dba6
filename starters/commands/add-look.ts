import type { Command } from 'commander';
import type { CommandContext } from '../command-context.ts';
import type { ExplainFlags } from './explain.ts';
import type { ResultsFlags } from './results.ts';

interface JsonFlag {
  readonly json?: boolean;
}

const NEWEST = 'name of the batch (default: the newest)';
const LOOKING = 'Looking never spends: this reads the ledger and the files; it needs no worker and starts none.';

/** Adds the commands that look: `list`, `status`, `watch`, `explain`, `results`, `verify`. */
export function addLookCommands(program: Command, context: CommandContext): void {
  const { output, done } = context;
  const add = (name: string, description: string, example: string): Command =>
    program
      .command(name)
      .description(description)
      .option('--json', 'print one line of JSON')
      .addHelpText('after', `\n${LOOKING}\n\nExample:\n  ${example}\n`);

  add('list', 'list the batches, the newest first', 'voxbatch list').action(async (flags: JsonFlag) => {
    const { list } = await import('./list.ts');
    done(await list(flags, output));
  });
  add('status', 'say how a batch stands; the exit code is that of the batch', 'voxbatch status lines')
    .argument('[batch]', NEWEST)
    .action(async (batch: string | undefined, flags: JsonFlag) => {
      const { status } = await import('./status.ts');
      done(await status(batch, flags, output));
    });
  add('watch', 'show a batch until it is finished, paused, or nobody works on it', 'voxbatch watch lines')
    .argument('[batch]', NEWEST)
    .action(async (batch: string | undefined, flags: JsonFlag) => {
      const { watch } = await import('./watch.ts');
      done(await watch(batch, flags, output));
    });
  add(
    'explain',
    'tell the story of one row: input, requests, charges, failure, files',
    'voxbatch explain 7 --batch lines',
  )
    .argument('<row>', 'id of the row, or its number')
    .option('--batch <name>', NEWEST)
    .action(async (row: string, flags: ExplainFlags) => {
      const { explain } = await import('./explain.ts');
      done(await explain(row, flags, output));
    });
  add('results', 'write the files of a batch, as it stands', 'voxbatch results lines --out delivered')
    .argument('[batch]', NEWEST)
    .option('--out <folder>', 'folder of the results (default: out/<batch>)')
    .action(async (batch: string | undefined, flags: ResultsFlags) => {
      const { results } = await import('./results.ts');
      done(await results(batch, flags, output));
    });
  add('verify', 'check the files of a batch: hashes, counts, sums, media', 'voxbatch verify out/lines')
    .argument('[dir-or-batch]', 'folder that holds summary.json, or name of a batch (default: the newest batch)')
    .action(async (given: string | undefined, flags: JsonFlag) => {
      const { verify } = await import('./verify.ts');
      done(await verify(given, flags, output));
    });
}
