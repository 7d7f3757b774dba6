import { CommanderError, type Command } from 'commander';
import type { FaultPointHook } from '../activities/fault-points.ts';
import { EXIT_CODES, type ExitName } from '../contract/exit-codes.ts';
import { ManifestError } from '../inputs/problems.ts';
import { messageOf } from '../client/problem.ts';
import { ExitError } from './exit-error.ts';
import { describeTrouble } from './machine-trouble.ts';
import { exitErrorOf } from './problem-words.ts';
import { createProgram } from './program.ts';
import { processOutput, type Output } from './terminal/output.ts';

export interface MainOptions {
  readonly atFaultPoint?: FaultPointHook;
  /** Default: stdout and stderr of this process. */
  readonly output?: Output;
}

/**
 * Runs one command line and returns its exit code. Every error ends here: an {@link ExitError} with its message, a usage
 * error with commander's, anything else as an internal error with its stack.
 */
export async function main(args: readonly string[], options: MainOptions = {}): Promise<number> {
  const { output = processOutput(), ...rest } = options;
  let exit: ExitName = 'complete';
  const program = createProgram({
    output,
    ...rest,
    done: (name) => {
      exit = name;
    },
  });
  try {
    await program.parseAsync(withoutIdleHelp(program, args), { from: 'user' });
  } catch (thrown) {
    const error = exitErrorOf(thrown);
    const trouble = describeTrouble(error);
    if (error instanceof CommanderError) exit = error.exitCode === 0 ? 'complete' : 'usage';
    else if (error instanceof ManifestError) {
      output.say(`voxbatch: ${error.message}`);
      exit = 'usage';
    } else if (trouble !== undefined) {
      output.say(`voxbatch: ${trouble} All charges are recorded. Running the same command again pays nothing twice.`);
      exit = 'unreachable';
    } else if (error instanceof ExitError) {
      output.say(`voxbatch: ${error.message}`);
      exit = error.exit;
    } else {
      output.say(`voxbatch: internal error: ${messageOf(error)}`);
      if (error instanceof Error && error.stack !== undefined) output.say(error.stack);
      output.say('Nothing is lost. Running the same command again is safe. Please report this.');
      exit = 'internal';
    }
  }
  return EXIT_CODES[exit].code;
}

/**
 * The words of a command line. Of one whose command does not exist, without its plea for help: that would be answered with the help of
 * all, as if the command existed.
 */
function withoutIdleHelp(program: Command, args: readonly string[]): readonly string[] {
  let command = program;
  for (const word of args) {
    if (word.startsWith('-') || word === 'help' || command.commands.length === 0) return args;
    const next = command.commands.find((one) => one.name() === word);
    if (next === undefined) return args.filter((one) => one !== '--help' && one !== '-h');
    command = next;
  }
  return args;
}
