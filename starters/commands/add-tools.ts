import { Argument, Option, type Command } from 'commander';
import { SIMULATOR_FLAGS } from '../../simulator/flags.ts';
import type { CommandContext } from '../command-context.ts';
import { commandTree } from '../terminal/command-tree.ts';
import { EXAMPLES, type Example } from '../tools/examples.ts';
import { completionScript, SHELLS, type Shell } from '../terminal/completion.ts';

/** Adds `init`, `simulate` and `completion`. */
export function addToolCommands(program: Command, context: CommandContext): void {
  program
    .command('init')
    .description('Write an example manifest; never overwrites a file')
    .addArgument(new Argument('[example]', 'Kind of its rows, or a task').choices(EXAMPLES).default('tts'))
    .option('-o, --out <file>', 'Name of the file (default: <example>.csv)')
    .addHelpText('after', '\nExample:\n  voxbatch init tts --out lines.csv\n')
    .action(async (example: Example, flags: { readonly out?: string }) => {
      const { init } = await import('../tools/init.ts');
      context.done(await init(example, flags, context.output));
    });
  addSimulate(program, context);
  program
    .command('completion')
    .description('Print a shell completion script')
    .addArgument(new Argument('<shell>', 'The shell').choices(SHELLS))
    .addHelpText('after', '\nExample:\n  eval "$(voxbatch completion bash)"\n')
    .action((shell: Shell) => {
      context.output.data(completionScript(shell, program.name(), commandTree(program)));
      context.done('complete');
    });
}

/** The simulator names and reads its own flags; this only adds them to help and completion. */
function addSimulate(program: Command, context: CommandContext): void {
  const command = program
    .command('simulate')
    .description('Run a simulator of the API, for rehearsal; its token is VOXBATCH_API_TOKEN')
    .addHelpText('after', '\nExample:\n  voxbatch simulate --port 8080 --job-ms 1000-3000\n');
  for (const flag of SIMULATOR_FLAGS) {
    const description = `${flag.description} (default: ${flag.default})`;
    command.addOption(new Option(`--${flag.name} <${flag.value.toLowerCase()}>`, description));
  }
  command.action(async () => {
    const argv = command.options.flatMap((option) => {
      const value: unknown = command.getOptionValue(option.attributeName());
      return typeof value === 'string' && option.long != null ? [`${option.long}=${value}`] : [];
    });
    const { simulate } = await import('../serve/simulate.ts');
    context.done(await simulate(argv, context.output));
  });
}
