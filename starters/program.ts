import { Argument, Command, Help } from 'commander';
import type { CommandContext, Output, ProgressForm } from './terminal/output.ts';
import type { CommandSpec } from './commands/command-spec.ts';
import { BATCH_COMMANDS } from './commands/batch-commands.ts';
import { OTHER_COMMANDS } from './commands/other-commands.ts';
import { addFlags, type Flags } from './commands/flags.ts';
import { usageError } from './exit-error.ts';
import { voxbatchVersion } from '../client/version.ts';

/**
 * Builds the command line: every command with its flags and help. `args` are only searched for `--help all`, which
 * shows every flag; plain `--help` shows the common ones.
 */
export function createProgram(context: Omit<CommandContext, 'program'>, args: readonly string[] = []): Command {
  const showsAllFlags = args.some((word, at) => (word === '--help' || word === '-h') && args[at + 1] === 'all');
  const program = new Command('voxbatch')
    .description('Runs large batches of paid speech and lip-sync jobs: no row is charged twice, no result is lost.')
    .version(voxbatchVersion(), '-V, --version', 'Show the version')
    // Flags after a subcommand then belong to it, even if its parent has a flag of the same name.
    .enablePositionalOptions()
    .addHelpText('after', helpAfter({ examples: ['voxbatch init && voxbatch plan tts.csv && voxbatch run tts.csv'] }))
    .helpOption('-h, --help', 'Show help')
    .helpCommand('help [command]', 'Show help for a command')
    .configureHelp(showsAllFlags ? {} : { formatHelp: shortHelp })
    .configureOutput({
      writeOut: (text) => {
        context.output.data(text.replace(/\n$/, ''));
      },
      writeErr: (text) => {
        context.output.say(text.replace(/\n$/, ''));
      },
      // `main.ts` prints errors.
      outputError: () => undefined,
    })
    .exitOverride();
  for (const [path, spec] of Object.entries({ ...BATCH_COMMANDS, ...OTHER_COMMANDS }))
    addCommand(program, path, spec, { ...context, program });
  return program;
}

/** Adds a command, and its action, which loads the implementation and calls it. `path`: such as `schedule create`. */
function addCommand(program: Command, path: string, spec: CommandSpec, context: CommandContext): void {
  const words = path.split(' ');
  const name = words.pop() ?? '';
  const parent = program.commands.find((known) => known.name() === words[0]) ?? program;
  const names = spec.flags?.split(' ') ?? [];
  const command = addFlags(parent.command(name), names, spec.own)
    .description(spec.does)
    .addHelpText('after', helpAfter(spec));
  for (const [operand, help, choices] of spec.operands ?? []) {
    const argument = new Argument(operand, help);
    command.addArgument(choices === undefined ? argument : argument.choices(choices));
  }
  const { load } = spec;
  if (load === undefined) return;
  command.action(async (...values: unknown[]) => {
    // Commander appends the options and the command.
    const operands = values.slice(0, -2);
    const flags = command.opts<Flags>();
    const { verbose: isVerbose = false } = flags;
    const progress = progressOf(flags, context.output);
    const run = await load(flags);
    // Where stdout carries events, data must be JSON as well.
    const effectiveFlags = context.output.event === undefined ? flags : { ...flags, json: true };
    const output = { ...context.output, progress, isVerbose };
    context.done(await run(...operands, effectiveFlags, { ...context, output }));
  });
}

/** Returns how progress is shown: by the flags, else as it suits the output. */
function progressOf({ quiet = false, progress }: Flags, output: Output): ProgressForm {
  if (quiet && (progress ?? 'none') !== 'none') throw usageError('--quiet cannot be combined with another --progress.');
  return quiet ? 'none' : (progress ?? output.progress ?? 'plain');
}

function helpAfter({ notes, examples }: Pick<CommandSpec, 'notes' | 'examples'>): string {
  return `${notes === undefined ? '' : `\n${notes}\n`}\nExample:\n${examples.map((example) => `  ${example}\n`).join('')}`;
}

/** Help of a command with more flags than this shows the common ones and only names the others. */
const MAX_SHOWN = 20;

/** Formats a command's help for commander, with flags under a heading only named if there are many. */
function shortHelp(command: Command, helper: Help): string {
  const flags = helper.visibleOptions(command);
  const others = flags.filter(({ helpGroupHeading }) => helpGroupHeading !== undefined);
  const shown = flags.length > MAX_SHOWN ? flags.filter((flag) => !others.includes(flag)) : flags;
  const short: Help = Object.assign(Object.create(helper) as Help, { visibleOptions: () => shown });
  const help = Help.prototype.formatHelp.call(short, command, short);
  if (shown.length === flags.length) return help;
  const headings = new Set(others.flatMap(({ helpGroupHeading = '' }) => helpGroupHeading));
  const groups = [...headings].map((heading) => {
    const named = others.filter(({ helpGroupHeading }) => helpGroupHeading === heading).map(({ long }) => long);
    return short.formatItem(heading, short.padWidth(command, short), named.join(', '), short);
  });
  const [path] = helper.commandUsage(command).split(' [');
  return [help, ...short.formatItemList(`More flags; ${path} --help all says what they mean:`, groups, short)].join(
    '\n',
  );
}
