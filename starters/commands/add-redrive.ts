import { Option, type Command } from 'commander';
import { STEPS } from '../../contract/row-kinds.ts';
import type { CommandContext } from '../command-context.ts';
import { WHERE_FORM } from '../row-flags.ts';
import type { RedriveFlags } from './redrive.ts';
import { positive } from './tuning-flags.ts';

/** Adds `redrive`. */
export function addRedriveCommand(program: Command, context: CommandContext): void {
  program
    .command('redrive')
    .description('run rows of a batch again that have ended: a new take of just those, at a new price')
    .argument('[batch]', 'name of the batch (default: that of the file, else the newest)')
    .option('--where <condition>', `rows of which this holds: ${WHERE_FORM}; may be repeated, all must hold`, collect)
    .option('--rows <list>', 'these rows: ids with commas, or numbers (12 or #12) where no row has that id', collect)
    .option('--from <file>', 'the rows of an edited manifest or outcome file; what was edited is done anew')
    .addOption(new Option('--step <step>', 'do this step and what follows it anew, also if finished').choices(STEPS))
    .option('--resubmit', 'pay again also for rows that may have been charged, or whose job may still run')
    .option(
      '--accept [rows...]',
      'take unfit results as they are, free: those of these rows, or of the rows that --where and --rows choose',
    )
    .option('--confirm <credits>', 'ask before a redrive that costs more than this', credits)
    .option('-y, --yes', 'never wait for an answer; take the bill as confirmed')
    .option('--out <folder>', 'folder of the results (default: out/<batch>)')
    .addOption(new Option('--api-url <url>', 'address of the API (default: VOXBATCH_API_URL)'))
    .option('--detach', 'return at once; server and worker go on in the background')
    .option('--json', 'print one line of JSON at the end')
    .addHelpText(
      'after',
      '\nFinished steps of a row are kept, and a job that was paid is waited for again, free. Rows with a result are left alone unless\n' +
        'they are named: by --rows, --step, --where outcome=succeeded, or by other cells in the edited file.\n' +
        '\nExample:\n  voxbatch redrive lines --where outcome=failed,cancelled --where kind=tts\n' +
        '  voxbatch redrive lines --from out/lines/failed.csv\n' +
        '  voxbatch redrive lines --rows a1,a7 --step lip-sync\n' +
        '  voxbatch redrive lines --accept a1\n',
    )
    .action(async (batch: string | undefined, flags: RedriveFlags) => {
      const { redrive } = await import('./redrive.ts');
      context.done(await redrive(batch, flags, context));
    });
}

function collect(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}

function credits(value: string): number {
  return value.trim() === '0' ? 0 : positive(value);
}
