import { Option, type Command } from 'commander';
import { STEPS } from '../../contract/row-kinds.ts';
import type { CommandContext } from '../command-context.ts';
import { WHERE_FORM } from './where-flags.ts';
import { collect, credits } from '../commands/flag-values.ts';
import { addOutputFlags, withOutputFlags } from '../commands/output-flags.ts';
import { addWebhookFlags } from '../commands/webhook-flags.ts';
import type { RedriveFlags } from './redrive.ts';

/** Adds `redrive`. */
export function addRedriveCommand(program: Command, context: CommandContext): void {
  addOutputFlags(addWebhookFlags(program.command('redrive')))
    .description('Run ended rows of a batch again, as a new take at a new price')
    .argument('[batch]', 'Name of the batch (default: the one in the file, else the newest)')
    .option('--where <condition>', `Rows that match: ${WHERE_FORM}; repeatable, all must match`, collect)
    .option('--rows <list>', 'Rows by id, separated by commas; or by number (12 or #12) if no row has that id', collect)
    .option(
      '--damaged',
      'Only rows whose stored file is lost or damaged: what a job made is fetched again, free; safe to repeat',
    )
    .option('--new-store', 'Begin an empty store if the one of these files is not there: they are lost for good')
    .option('--from <file>', 'Rows of an edited manifest or outcome file; edited rows are done again')
    .addOption(
      new Option('--step <step>', 'Do this step and all later ones again, even if they are finished').choices(STEPS),
    )
    .option(
      '--resubmit',
      'Include rows that may have been charged or whose job may still run; this can charge them again',
    )
    .option(
      '--accept [rows...]',
      'Accept results as they are, free, that failed a check or lack the answer of their verification: of these rows, or of those that --where and --rows select; ROW/TAKE goes back to the result of that take',
    )
    .option('--confirm <credits>', 'Ask before a redrive that costs more than this', credits)
    .option('-y, --yes', 'Do not ask for confirmation')
    .option('-o, --out <folder>', 'Folder for the results (default: out/<batch>)')
    .addOption(new Option('--api-url <url>', 'API address (default: VOXBATCH_API_URL)'))
    .option('--dry-run', 'Only show which rows it would run, and their price; spends nothing')
    .option('--detach', 'Return at once; server and worker continue in the background')
    .option('--json', 'Print one line of JSON at the end')
    .addHelpText(
      'after',
      '\nA redrive keeps finished steps, and fetches jobs that were paid for, free. It skips rows that have a result, unless you select\n' +
        'them: by --rows, --step, --where outcome=succeeded, or by editing their cells in the file.\n' +
        '\nExample:\n  voxbatch redrive lines --where outcome=failed,cancelled --where kind=tts\n' +
        '  voxbatch redrive lines --from out/lines/failed.csv\n' +
        '  voxbatch redrive lines --rows a1,a7 --step lip-sync\n' +
        '  voxbatch redrive lines --accept a1\n' +
        '  voxbatch redrive lines --accept a1/1\n' +
        '  voxbatch redrive lines --damaged\n',
    )
    .action(async (batch: string | undefined, flags: RedriveFlags) => {
      const { redrive } = await import('./redrive.ts');
      context.done(await redrive(batch, flags, withOutputFlags(context, flags)));
    });
}
