import type { SchemaFlags } from '../doctor/schema.ts';
import { Option, type Command } from 'commander';
import type { ExitName } from '../../contract/exit-codes.ts';
import type { CommandContext } from '../command-context.ts';
import type { ServeFlags } from '../serve/serve.ts';
import type { UpFlags } from '../serve/up.ts';
import { UNIT_FORMATS, type UnitFormat } from '../serve/formats.ts';
import type { Output } from '../terminal/output.ts';
import { duration, positive } from './flag-values.ts';
import { usageError } from '../exit-error.ts';
import { addWebhookFlags } from './webhook-flags.ts';
import { addLogFlags, withOutputFlags, type LogFlags } from './output-flags.ts';

const LOOK_EVERY = '--look-every <seconds>';
const LOOK_EVERY_WORDS = 'How often to look for open batches without a worker, and continue them (default: 30)';

/** Adds `worker`, `up` and `doctor`. */
export function addServeCommands(program: Command, context: CommandContext): void {
  const logged = async (flags: LogFlags, work: (output: Output) => Promise<ExitName>): Promise<void> => {
    const { withLog } = await import('../serve/log-lines.ts');
    context.done(await withLog(flags.log, withOutputFlags(context, flags).output, work));
  };
  addLogFlags(addWebhookFlags(program.command('worker')))
    .description('Work on batches of this API and account until SIGTERM')
    .option('--api-url <url>', 'API address (default: VOXBATCH_API_URL)')
    .option(LOOK_EVERY, LOOK_EVERY_WORDS, positive)
    .addHelpText('after', '\nExample:\n  TEMPORAL_ADDRESS=temporal:7233 voxbatch worker\n')
    .action(async (flags: ServeFlags & LogFlags) => {
      const { serve } = await import('../serve/serve.ts');
      await logged(flags, (output) => serve(flags, { ...context, output }));
    });
  addLogFlags(addWebhookFlags(program.command('up')))
    .description('Run the embedded server and a worker until SIGTERM, as a service or in a terminal')
    .option('--api-url <url>', 'API address (default: VOXBATCH_API_URL)')
    .addOption(new Option('--until-idle', 'Exit when no batch is open'))
    .option('--batch <name>', 'Write the files of this batch when it is finished')
    .option('-o, --out <folder>', 'Folder for them (default: out/<batch>)')
    .option(LOOK_EVERY, LOOK_EVERY_WORDS, positive)
    .addOption(
      new Option('--print-unit <manager>', 'Start nothing; print a unit that runs this as a service').choices(
        UNIT_FORMATS,
      ),
    )
    .option('--wait <time>', 'Start nothing; wait so long until the `up` of this home is ready', duration)
    .option('--unless-running', 'Exit with 0 and without a word if `up` runs in this home already')
    .addHelpText('after', '\nExample:\n  voxbatch up &\n  voxbatch up --wait 2m\n  voxbatch up --print-unit systemd\n')
    .action(async (flags: UpFlags & LogFlags & { readonly printUnit?: UnitFormat }) => {
      if (flags.printUnit !== undefined) {
        if (flags.webhook !== undefined)
          throw usageError('--print-unit does not take --webhook: add it to the command in the unit.');
        const { printUnit } = await import('../serve/print-unit.ts');
        context.done(await printUnit(flags.printUnit, flags, context.output));
        return;
      }
      const { up } = await import('../serve/up.ts');
      await logged(flags, (output) => up(flags, { ...context, output }));
    });
  program
    .command('doctor')
    .description('Check server, ledger, API, token, account, clock and disk')
    .option('--api-url <url>', 'API address (default: VOXBATCH_API_URL)')
    .option('--api', "Compare the API's own schema with what voxbatch needs, and with the last look, instead")
    .option('--strict-schema', 'The same, and end with an error (15) if something is missing or has changed')
    .option('--json', 'Print the findings as JSON')
    .addHelpText('after', '\nExample:\n  voxbatch doctor\n  voxbatch doctor --api\n')
    .action(async (flags: SchemaFlags & { readonly api?: boolean }) => {
      if (flags.api === true || flags.strictSchema === true) {
        const { doctorSchema } = await import('../doctor/schema.ts');
        context.done(await doctorSchema(flags, context.output));
        return;
      }
      const { doctor } = await import('../doctor/doctor.ts');
      context.done(await doctor(flags, context.output));
    });
}
