import { Option, type Command } from 'commander';
import type { CommandContext } from '../command-context.ts';
import type { ServeFlags } from '../serve/serve.ts';
import { positive } from './flag-values.ts';
import { addVerboseFlag, withOutputFlags, type OutputFlags } from './output-flags.ts';

const LOOK_EVERY = '--look-every <seconds>';
const LOOK_EVERY_WORDS = 'How often to look for open batches without a worker, and continue them (default: 30)';

/** Adds `worker`, `up` and `doctor`. */
export function addServeCommands(program: Command, context: CommandContext): void {
  const serve = async (flags: ServeFlags & OutputFlags): Promise<void> => {
    const command = await import('../serve/serve.ts');
    context.done(await command.serve(flags, withOutputFlags(context, flags)));
  };
  addVerboseFlag(program.command('worker'))
    .description('Work on batches of this API and account until SIGTERM')
    .option('--api-url <url>', 'API address (default: VOXBATCH_API_URL)')
    .option(LOOK_EVERY, LOOK_EVERY_WORDS, positive)
    .addHelpText('after', '\nExample:\n  TEMPORAL_ADDRESS=temporal:7233 voxbatch worker\n')
    .action(serve);
  addVerboseFlag(program.command('up'))
    .description('Run the embedded server and a worker; `run --detach` starts this')
    .option('--api-url <url>', 'API address (default: VOXBATCH_API_URL)')
    .addOption(new Option('--until-idle', 'Exit when no batch is open'))
    .option('--batch <name>', 'Write the files of this batch when it is finished')
    .option('-o, --out <folder>', 'Folder for them (default: out/<batch>)')
    .option(LOOK_EVERY, LOOK_EVERY_WORDS, positive)
    .addHelpText('after', '\nExample:\n  voxbatch up &\n')
    .action(serve);
  program
    .command('doctor')
    .description('Check server, ledger, API, token, account, clock and disk')
    .option('--api-url <url>', 'API address (default: VOXBATCH_API_URL)')
    .option('--json', 'Print the findings as JSON')
    .addHelpText('after', '\nExample:\n  voxbatch doctor\n')
    .action(async (flags: { readonly apiUrl?: string; readonly json?: boolean }) => {
      const { doctor } = await import('../connect/doctor.ts');
      context.done(await doctor(flags, context.output));
    });
}
