import { pino } from 'pino';
import { EXIT_CODES, type ExitName } from '../../contract/exit-codes.ts';
import { ExitError } from '../exit-error.ts';
import { exitErrorOf } from '../exit-of-problem.ts';
import type { Flags } from '../commands/flags.ts';
import type { Output } from '../terminal/output.ts';

/**
 * Runs a command that stays, with stderr as a log. `text`: lines for people, with the time unless they go to a terminal.
 * `json`: an object in each line, as pino writes it; the error that ends the command, too.
 */
export async function withLog(
  format: NonNullable<Flags['log']>,
  output: Output,
  work: (output: Output) => Promise<ExitName>,
): Promise<ExitName> {
  if (format === 'text') return work(output.isTerminal ? output : timed(output));
  const log = pino(
    { base: { pid: process.pid } },
    {
      write: (line) => {
        output.say(line.trimEnd());
      },
    },
  );
  const say = (line: string): void => {
    log.info(line.trim());
  };
  try {
    // Lines of the worker's log are such objects already.
    return await work({ ...output, say, log: output.say });
  } catch (thrown) {
    const error = exitErrorOf(thrown);
    if (!(error instanceof ExitError)) throw error;
    log.error({ exit: error.exit, exit_code: EXIT_CODES[error.exit].code }, error.message);
    return error.exit;
  }
}

/** The same with the time, in UTC, at the beginning of each message. */
function timed(output: Output): Output {
  return {
    ...output,
    log: output.say,
    say: (line) => {
      output.say(`${new Date().toISOString()} ${line.trimStart()}`);
    },
  };
}
