import type { Command } from 'commander';
import type { CommandContext } from '../command-context.ts';
import type { ListFlags } from '../look/status.ts';
import type { ResultsFlags } from '../look/results.ts';

interface JsonFlag {
  readonly json?: boolean;
}

interface ExplainFlags extends JsonFlag {
  readonly batch?: string;
}

const NEWEST = 'Name of the batch (default: the newest)';
const LOOKING = 'This never spends anything. It reads the ledger and the files, and starts no worker.';

/** Adds the read-only commands: `list`, `status`, `watch`, `explain`, `results`, `verify`. */
export function addLookCommands(program: Command, context: CommandContext): void {
  const { output, done } = context;
  const add = (name: string, description: string, example: string): Command =>
    program
      .command(name)
      .description(description)
      .option('--json', 'Print one line of JSON')
      .addHelpText('after', `\n${LOOKING}\n\nExample:\n  ${example}\n`);

  add('list', 'List batches, newest first; single jobs are only counted', 'voxbatch list')
    .option('--all', 'Single jobs (say, transcribe, lip-sync), too')
    .option('--single', 'Only single jobs')
    .action(async (flags: ListFlags) => {
      const { list } = await import('../look/status.ts');
      done(await list(flags, output));
    });
  add('status', "Show a batch's status; exits with the batch's exit code", 'voxbatch status lines')
    .argument('[batch]', NEWEST)
    .action(async (batch: string | undefined, flags: JsonFlag) => {
      const { status } = await import('../look/status.ts');
      done(await status(batch, flags, output));
    });
  add('watch', 'Follow a batch until it is finished, paused, or has no worker', 'voxbatch watch lines')
    .argument('[batch]', NEWEST)
    .action(async (batch: string | undefined, flags: JsonFlag) => {
      const { watch } = await import('../look/watch.ts');
      done(await watch(batch, flags, output));
    });
  add(
    'explain',
    'Show everything about one row: input, requests, charges, failure, files',
    'voxbatch explain 7 --batch lines',
  )
    .argument('<row>', 'Id or number of the row; or the name of a single job')
    .argument('[batch]', `${NEWEST}; it may also stand before the row`)
    .option('--batch <name>', 'The same, as a flag')
    .action(async (first: string, second: string | undefined, { batch: named, json }: ExplainFlags) => {
      const { explain } = await import('../look/explain.ts');
      done(await explain({ first, second, named, json }, output));
    });
  add('results', 'Write the result files of a batch as it is now', 'voxbatch results lines --out delivered')
    .argument('[batch]', NEWEST)
    .option('-o, --out <folder>', 'Folder for the results (default: out/<batch>)')
    .action(async (batch: string | undefined, flags: ResultsFlags) => {
      const { results } = await import('../look/results.ts');
      done(await results(batch, flags, output));
    });
  add('verify', 'Check the result files of a batch: hashes, counts, sums, media', 'voxbatch verify out/lines')
    .argument('[dir-or-batch]', 'Folder that holds summary.json, or name of a batch (default: the newest batch)')
    .action(async (given: string | undefined, flags: JsonFlag) => {
      const { verify } = await import('../look/verify.ts');
      done(await verify(given, flags, output));
    });
}
