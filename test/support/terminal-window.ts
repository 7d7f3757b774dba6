import { shellWord } from '../../contract/shell-word.ts';

/** Passes SIGHUP on to its job as an interactive shell does, and writes the job's exit code to the file `ended`. */
const SHELL = 'exec 3<&0; "$@" <&3 & pid=$!; trap "kill -HUP $pid" HUP; wait $pid; wait $pid; echo $? > ended';

/**
 * A command in a terminal window: on a pseudo-terminal, below a shell. SIGKILL of the process closes the window. What the
 * command says, on stdout and stderr, comes from `stdout`. By `script` of util-linux, as Node opens no pseudo-terminals.
 */
export function inTerminalWindow(command: readonly string[]): readonly string[] {
  return ['script', '-qefc', ['sh', '-c', SHELL, 'sh', ...command].map(shellWord).join(' '), '/dev/null'];
}
