import { pino } from 'pino';
import { EXIT_CODES, type ExitName } from '../../contract/exit-codes.ts';
import { ExitError } from '../exit-error.ts';
import { exitErrorOf } from '../exit-of-problem.ts';
import type { Flags } from '../commands/flags.ts';
import type { Output } from '../terminal/output.ts';

/**
 * Runs a long-running command with stderr as its log. `text`: human-readable lines, with timestamps unless stderr is a
 * terminal. `json`: one object per line, as pino writes it, including the error that ends the command.
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
    // The worker's log lines already have this form.
    return await work({ ...output, say, log: output.say });
  } catch (thrown) {
    const error = exitErrorOf(thrown);
    if (!(error instanceof ExitError)) throw error;
    log.error({ exit: error.exit, exit_code: EXIT_CODES[error.exit].code }, error.message);
    return error.exit;
  }
}

/** The same output with each message prefixed by the time, in UTC. */
function timed(output: Output): Output {
  return {
    ...output,
    log: output.say,
    say: (line) => {
      output.say(`${new Date().toISOString()} ${line.trimStart()}`);
    },
  };
}
