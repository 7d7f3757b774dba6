import { defined } from '../../contract/defined.ts';
import { Option, type Command } from 'commander';
import type { CommandContext } from '../command-context.ts';
import type { RunFlags } from '../run/run-options.ts';
import { collect, credits } from './flag-values.ts';
import { addPricingFlags, addReadingFlags } from './manifest-flags.ts';
import { readNameFlags, type TypedNames } from './name-flags.ts';
import { addWebhookFlags } from './webhook-flags.ts';
import { addOutputFlags, withOutputFlags } from './output-flags.ts';

/** Flags that `run` and `plan` share: how the manifest is read. */
function withManifestFlags(command: Command): Command {
  return addReadingFlags(
    command
      .argument('<manifest>', 'CSV, TSV or JSONL file with a header; - reads stdin')
      .option('-n, --name <name>', 'Name of the batch (default: the file name)', collect),
  );
}

/**
 * Flags for what a batch may cost and how it is worked on. `plan` takes them too, so that a command line can be planned
 * as it will be run.
 */
function withMoneyFlags(command: Command): Command {
  return addPricingFlags(command)
    .option('--confirm <credits>', 'Ask before a batch that costs more than this', credits)
    .option('-y, --yes', 'Do not ask for confirmation');
}

const apiUrl = (): Option => new Option('--api-url <url>', 'API address (default: VOXBATCH_API_URL)');

/** Adds `run` and `plan`. */
export function addRunCommands(program: Command, context: CommandContext): void {
  addOutputFlags(addWebhookFlags(withMoneyFlags(withManifestFlags(program.command('run')))))
    .description('Start or resume a batch; writes ./out/<name>/')
    .option('-o, --out <folder>', 'Folder for the results (default: out/<name>)')
    .addOption(apiUrl())
    .option('--resubmit', 'With an outcome file: include rows that may have been charged; this can charge them again')
    .option('--dry-run', 'Only plan: the same as voxbatch plan; spends nothing')
    .option(
      '--confirm-after-sample',
      'With --sample: show its real price, then ask whether to run the others; without a terminal, needs --yes',
    )
    .option('--detach', 'Return at once; server and worker continue in the background')
    .option('--json', 'Print one line of JSON at the end')
    .addHelpText(
      'after',
      '\nExample:\n  voxbatch run lines.csv --sample 5 --confirm-after-sample\n  voxbatch run lines.csv --voice anna --budget 500 --halt soon,fail=5%\n',
    )
    .action(async (manifest: string, typed: TypedRunFlags) => {
      const flags = readFlags(typed, context);
      if (flags.dryRun === true) {
        const { plan } = await import('../run/plan.ts');
        context.done(await plan(manifest, flags, context.output));
        return;
      }
      const { beginRun } = await import('../run/begin-run.ts');
      context.done(await beginRun(manifest, flags, withOutputFlags(context, flags)));
    });
  addPlan(program, context);
}

/** Adds `plan`. */
function addPlan(program: Command, context: CommandContext): void {
  withMoneyFlags(withManifestFlags(program.command('plan')))
    .description('Validate a manifest and estimate its cost; spends nothing')
    .option('-o, --out <folder>', 'Folder for the results (default: out/<name>)')
    .addOption(apiUrl())
    .option('--json', 'Print one line of JSON, with all problems')
    .addHelpText('after', '\nExample:\n  voxbatch plan lines.csv --voice anna\n')
    .action(async (manifest: string, typed: TypedRunFlags) => {
      const { plan } = await import('../run/plan.ts');
      context.done(await plan(manifest, readFlags(typed, context), context.output));
    });
}

/** Flags as commander returns them. */
type TypedRunFlags = Omit<RunFlags, keyof TypedNames> & TypedNames;

function readFlags({ name, fileName, ...rest }: TypedRunFlags, { output }: CommandContext): RunFlags {
  const typed = { ...defined({ name, fileName }) };
  return { ...readNameFlags(typed, output.say), ...rest };
}
