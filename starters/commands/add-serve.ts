import { Option, type Command } from 'commander';
import type { CommandContext } from '../command-context.ts';
import type { ServeFlags } from './serve.ts';
import { positive } from './tuning-flags.ts';

const LOOK_EVERY = '--look-every <seconds>';
const LOOK_EVERY_WORDS = 'how often open batches are looked after: one that nobody works on goes on (default: 30)';

/** Adds `worker`, `up` and `doctor`. */
export function addServeCommands(program: Command, context: CommandContext): void {
  const serve = async (flags: ServeFlags): Promise<void> => {
    const command = await import('./serve.ts');
    context.done(await command.serve(flags, context));
  };
  program
    .command('worker')
    .description('work on the batches of this API and account until told to end (SIGTERM)')
    .option('--api-url <url>', 'address of the API (default: VOXBATCH_API_URL)')
    .option(LOOK_EVERY, LOOK_EVERY_WORDS, positive)
    .addHelpText('after', '\nExample:\n  TEMPORAL_ADDRESS=temporal:7233 voxbatch worker\n')
    .action(serve);
  program
    .command('up')
    .description('keep the embedded server and a worker alive; what `run --detach` starts')
    .option('--api-url <url>', 'address of the API (default: VOXBATCH_API_URL)')
    .addOption(new Option('--until-idle', 'end when no batch is open'))
    .option(LOOK_EVERY, LOOK_EVERY_WORDS, positive)
    .addHelpText('after', '\nExample:\n  voxbatch up &\n')
    .action(serve);
  program
    .command('doctor')
    .description('check server, ledger, API, token, account, clock and disk, and say what to do')
    .option('--api-url <url>', 'address of the API (default: VOXBATCH_API_URL)')
    .option('--json', 'print the findings as JSON')
    .addHelpText('after', '\nExample:\n  voxbatch doctor\n')
    .action(async (flags: { readonly apiUrl?: string; readonly json?: boolean }) => {
      const { doctor } = await import('./doctor.ts');
      context.done(await doctor(flags, context.output));
    });
}
