import { Option, type Command } from 'commander';
import type { CommandContext } from '../command-context.ts';
import { addWebhookFlags } from '../commands/webhook-flags.ts';
import type { ReconcileFlags } from './reconcile.ts';

/** Adds `reconcile`. */
export function addReconcileCommand(program: Command, context: CommandContext): void {
  addWebhookFlags(program.command('reconcile'))
    .description('Settle requests whose answers were lost, and list jobs that belong to no row; free')
    .argument('[batch]', 'Name of the batch (default: the newest)')
    .option(
      '--adopt <row=job...>',
      'Assign a job of the API to an unknown row, by id or number; ROW/TAKE is an earlier take',
    )
    .option('--resubmit <rows...>', 'Send these unknown rows again and pay again, unless their requests are found')
    .option('--release <rows...>', 'Undo --adopt or --not-charged: these rows, or takes (ROW/TAKE), are unknown again')
    .option(
      '--not-charged <row/take...>',
      'Mark earlier takes as not charged, because the account shows no job for them',
    )
    .option('-y, --yes', 'Do not ask for confirmation; required for --resubmit without a terminal')
    .option('-o, --out <folder>', 'Folder for the results (default: out/<batch>)')
    .addOption(new Option('--api-url <url>', 'API address (default: VOXBATCH_API_URL)'))
    .option('--json', 'Print one line of JSON')
    .addHelpText(
      'after',
      "\nWithout options, this looks up every unknown row: late answers, stored results, the API's lists of lip-sync jobs and voices.\n" +
        "Only --resubmit spends. Exits with the batch's exit code: 13 while a row is unknown.\n" +
        '\nExample:\n  voxbatch reconcile lines\n  voxbatch reconcile lines --adopt r7=job-1f3a --resubmit r8 r9\n  voxbatch reconcile lines --release r7\n',
    )
    .action(async (batch: string | undefined, flags: ReconcileFlags) => {
      const { reconcile } = await import('./reconcile.ts');
      context.done(await reconcile(batch, flags, context));
    });
}
