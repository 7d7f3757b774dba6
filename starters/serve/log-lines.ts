import { isLog, type Output } from '../terminal/output.ts';

/** The output of a command that stays: as text, each message has its time before it, in UTC, unless stderr is a terminal. */
export function timed(output: Output): Output {
  if (output.isTerminal || isLog(output)) return output;
  return {
    ...output,
    log: output.say,
    say: (line) => {
      output.say(`${new Date().toISOString()} ${line.trimStart()}`);
    },
  };
}
