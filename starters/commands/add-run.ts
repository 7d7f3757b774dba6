import { Option, type Command } from 'commander';
import type { CommandContext } from '../command-context.ts';
import type { RunFlags } from './run-options.ts';
import { addTuningFlags, positive } from './tuning-flags.ts';

/** Flags that `run` and `plan` share: how the manifest is read. */
function withManifestFlags(command: Command): Command {
  return command
    .argument('<manifest>', 'CSV, TSV or JSONL file with a header; - reads stdin')
    .option(
      '--name <name>',
      'name of the batch (default: the file name), or, with {id}-like fields, of the result files (default: {id}.{ext})',
      collect,
    )
    .option('--kind <kind>', 'what rows without a kind are: tts, stt, lip-sync, dub (default: from the columns)')
    .option('--voice <id>', 'voice of rows that name none')
    .option('--engine <id>', 'engine of rows that name none')
    .option('--format <format>', "audio format of rows that name none (default: the API's, mp3)")
    .option('--language <code>', 'language of rows that name none')
    .option('--map <ours=theirs>', 'read our column from a column of another name; may be repeated', collect)
    .option('--strict', 'refuse unknown columns instead of carrying them along')
    .option('--tts <mode>', 'speak tts rows as a job or by the synchronous endpoint: job, sync', 'job');
}

/**
 * Flags that say what a batch may cost and how it is worked on. `plan` takes them too, so that a command line can be planned
 * as it will be run.
 */
function withMoneyFlags(command: Command): Command {
  return addTuningFlags(command)
    .option('--probe', 'read the length of audio and video that state none, for their price')
    .option('--assume-seconds <n>', 'length that audio and video are priced at where it is not known', positive)
    .option('--confirm <credits>', 'ask before a batch whose bill is above this', credits)
    .option('-y, --yes', 'never wait for an answer; take the bill as confirmed');
}

const apiUrl = (): Option => new Option('--api-url <url>', 'address of the API (default: VOXBATCH_API_URL)');

/** Adds `run` and `plan`. */
export function addRunCommands(program: Command, context: CommandContext): void {
  withMoneyFlags(withManifestFlags(program.command('run')))
    .description('run a batch, or go on with it; writes ./out/<name>/')
    .option('--out <folder>', 'folder of the results (default: out/<name>)')
    .addOption(apiUrl())
    .option('--resubmit', 'with an outcome file: pay again also for rows that may have been charged')
    .option('--detach', 'return at once; server and worker go on in the background')
    .option('--json', 'print one line of JSON at the end')
    .addHelpText('after', '\nExample:\n  voxbatch run lines.csv --voice anna --budget 500 --halt soon,fail=5%\n')
    .action(async (manifest: string, flags: RunFlags) => {
      const { beginRun } = await import('./begin-run.ts');
      context.done(await beginRun(manifest, flags, context));
    });
  addPlan(program, context);
}

/** Adds `plan`. */
function addPlan(program: Command, context: CommandContext): void {
  withMoneyFlags(withManifestFlags(program.command('plan')))
    .description('check and price a manifest, and say what would be sent and what would be left; spends nothing')
    .option('--out <folder>', 'folder of the results (default: out/<name>)')
    .addOption(apiUrl())
    .option('--json', 'print one line of JSON; with problems, all of them')
    .addHelpText('after', '\nExample:\n  voxbatch plan lines.csv --voice anna\n')
    .action(async (manifest: string, flags: RunFlags) => {
      const { plan } = await import('./plan.ts');
      context.done(await plan(manifest, flags, context.output));
    });
}

function collect(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}

function credits(value: string): number {
  return value.trim() === '0' ? 0 : positive(value);
}
