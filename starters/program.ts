import { Command } from 'commander';
import type { CommandContext } from './command-context.ts';
import { addControlCommands } from './commands/add-control.ts';
import { addAccountCommands } from './commands/add-account.ts';
import { addLookCommands } from './commands/add-look.ts';
import { addCompareCommand } from './compare/add-compare.ts';
import { addReconcileCommand } from './reconcile/add-reconcile.ts';
import { addSingleCommands } from './single/add-single.ts';
import { addScheduleCommands } from './schedules/add-schedule.ts';
import { addRedriveCommand } from './redrive/add-redrive.ts';
import { addRunCommands } from './commands/add-run.ts';
import { addServeCommands } from './commands/add-serve.ts';
import { addVoiceCommands } from './voices/add-voices.ts';
import { addToolCommands } from './commands/add-tools.ts';
import { addTrustCommand, addUpkeepCommands } from './commands/add-upkeep.ts';
import { usageWords } from './terminal/usage-words.ts';
import { voxbatchVersion } from '../client/version.ts';

/**
 * The command line: every command with its flags and help. A command's code is loaded when it is called, so that
 * `--help` and `status` do not wait for Temporal's SDK. `args`: the words that it is to read, for what it says of mistakes.
 */
export function createProgram(context: CommandContext, args: readonly string[] = []): Command {
  const program = new Command('voxbatch')
    .description('Runs large batches of paid speech and lip-sync jobs: no row is charged twice, no result is lost.')
    .version(voxbatchVersion(), '-V, --version', 'Show the version')
    // So that flags after a subcommand are the subcommand's, where its parent has some of the same name.
    .enablePositionalOptions()
    .addHelpText('after', '\nExample:\n  voxbatch init && voxbatch plan tts.csv && voxbatch run tts.csv\n')
    .helpOption('-h, --help', 'Show help')
    .helpCommand('help [command]', 'Show help for a command')
    .configureOutput({
      writeOut: (text) => {
        context.output.data(text.replace(/\n$/, ''));
      },
      writeErr: (text) => {
        context.output.say(text.replace(/\n$/, ''));
      },
      outputError: (text, write) => {
        write(usageWords(text, program, args));
      },
    })
    .exitOverride();
  addRunCommands(program, context);
  addRedriveCommand(program, context);
  addReconcileCommand(program, context);
  addSingleCommands(program, context);
  addLookCommands(program, context);
  addCompareCommand(program, context);
  addControlCommands(program, context);
  addUpkeepCommands(program, context);
  addScheduleCommands(program, context);
  addServeCommands(program, context);
  addVoiceCommands(program, context);
  addAccountCommands(program, context);
  addToolCommands(program, context);
  addTrustCommand(program, context);
  pointToHelp(program, program.name());
  return program;
}

/** After a usage error, each command names its own help. */
function pointToHelp(command: Command, path: string): void {
  command.showHelpAfterError(`Nothing was spent. See \`${path} --help\`.`);
  for (const child of command.commands) pointToHelp(child, `${path} ${child.name()}`);
}
