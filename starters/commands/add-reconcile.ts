import { Option, type Command } from 'commander';
import type { CommandContext } from '../command-context.ts';
import type { ReconcileFlags } from './reconcile.ts';

/** Adds `reconcile`. */
export function addReconcileCommand(program: Command, context: CommandContext): void {
  program
    .command('reconcile')
    .description('find out what became of requests whose answers were lost, and list jobs that no row has; free')
    .argument('[batch]', 'name of the batch (default: the newest)')
    .option(
      '--adopt <row=job...>',
      'give these unknown rows these jobs of the API; a row is an id or a number, ROW/TAKE an earlier take',
    )
    .option('--resubmit <rows...>', 'pay again for these unknown rows, if no trace of their requests is found')
    .option('--release <rows...>', 'take back the job that --adopt gave to these rows: they are unknown again')
    .option('--not-charged <row/take...>', 'the account shows no job of these earlier takes: they cost nothing')
    .option('-y, --yes', 'never wait for an answer; needed for --resubmit where nobody can be asked')
    .option('--out <folder>', 'folder of the results (default: out/<batch>)')
    .addOption(new Option('--api-url <url>', 'address of the API (default: VOXBATCH_API_URL)'))
    .option('--json', 'print one line of JSON')
    .addHelpText(
      'after',
      "\nWithout options every unknown row is looked up: a late answer, a stored result, the API's list of lip-sync jobs.\n" +
        'Only --resubmit spends. The exit code is that of the batch: 13 while a row is unknown.\n' +
        '\nExample:\n  voxbatch reconcile lines\n  voxbatch reconcile lines --adopt r7=job-1f3a --resubmit r8 r9\n  voxbatch reconcile lines --release r7\n',
    )
    .action(async (batch: string | undefined, flags: ReconcileFlags) => {
      const { reconcile } = await import('./reconcile.ts');
      context.done(await reconcile(batch, flags, context));
    });
}
