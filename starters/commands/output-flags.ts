import { Option, type Command } from 'commander';
import { LOG_FORMATS, type LogFormat } from '../serve/formats.ts';
import type { CommandContext } from '../command-context.ts';

/** How much a command prints while it works. */
export interface OutputFlags {
  readonly quiet?: boolean;
  readonly verbose?: boolean;
}

/** Adds `-q` and `-v`. */
export function addOutputFlags(command: Command): Command {
  return addVerboseFlag(
    command.option('-q, --quiet', 'Show no progress; warnings, errors and the summary are still printed'),
  );
}

/** Adds `-v`, for commands that show no progress. */
function addVerboseFlag(command: Command): Command {
  return command.option(
    '-v, --verbose',
    'Also print the log of the worker in this process: each step, never texts',
  );
}

/** How a command that stays writes its log. */
export interface LogFlags extends OutputFlags {
  readonly log: LogFormat;
}

/** Adds `--log` and `-v`, for commands that stay. */
export function addLogFlags(command: Command): Command {
  const format = new Option('--log <format>', 'Form of the lines on stderr').choices(LOG_FORMATS).default('text');
  return addVerboseFlag(command.addOption(format));
}

/** The context of a command with these flags. */
export function withOutputFlags(context: CommandContext, { quiet, verbose }: OutputFlags): CommandContext {
  const { output } = context;
  return { ...context, output: { ...output, isQuiet: quiet ?? false, isVerbose: verbose ?? false } };
}
