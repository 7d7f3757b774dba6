import { CommanderError } from 'commander';
import type { Witness } from '../activities/dependencies.ts';
import { EXIT_CODES, type ExitName } from '../contract/exit-codes.ts';
import { ExitError } from './exit-error.ts';
import { createProgram } from './program.ts';
import { messageOf } from './settings.ts';
import { processOutput } from './terminal/output.ts';

/**
 * Runs one command line and returns its exit code. Every error ends here: an {@link ExitError} with its message, a usage
 * error with commander's, anything else as an internal error with its stack.
 */
export async function main(args: readonly string[], options: { readonly witness?: Witness } = {}): Promise<number> {
  const output = processOutput();
  let exit: ExitName = 'complete';
  const program = createProgram({
    output,
    ...options,
    done: (name) => {
      exit = name;
    },
  });
  try {
    await program.parseAsync(args, { from: 'user' });
  } catch (error) {
    if (error instanceof CommanderError) exit = error.exitCode === 0 ? 'complete' : 'usage';
    else if (error instanceof ExitError) {
      output.say(`voxbatch: ${error.message}`);
      exit = error.exit;
    } else {
      output.say(`voxbatch: internal error: ${messageOf(error)}`);
      if (error instanceof Error && error.stack !== undefined) output.say(error.stack);
      output.say('Nothing is lost: running the same command again is safe. Please report this.');
      exit = 'internal';
    }
  }
  return EXIT_CODES[exit].code;
}
