import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { showControls } from '../../contract/control-characters.ts';

/** The person's terminal. */
export interface Terminal {
  readonly input: Readable;
  readonly output: Writable;
}

/**
 * Asks a person on stderr, so that stdout stays data, and reads one line. Only `y` or `yes` is a yes; an empty line,
 * the end of the input and Ctrl-C are a no.
 */
export function askYesNo(
  question: string,
  { input, output }: Terminal = { input: process.stdin, output: process.stderr },
): Promise<boolean> {
  return new Promise((resolve) => {
    const lines = createInterface({ input, output });
    lines.once('SIGINT', () => {
      lines.close();
    });
    let isYes: boolean | undefined;
    lines.once('close', () => {
      // Nobody pressed Enter: start the next message on its own line.
      if (isYes === undefined) output.write('\n');
      resolve(isYes ?? false);
    });
    // A carriage return would let what follows write over what stands before it.
    const shown = showControls(question).replaceAll('\r', String.raw`\r`);
    lines.question(`${shown} [y/N] `, (answer) => {
      isYes = /^\s*y(?:es)?\s*$/i.test(answer);
      lines.close();
    });
  });
}

/** Whether a person may be asked. */
export interface AskFlags {
  /** Ask nobody. It does not confirm. */
  readonly yes?: boolean;
}

/** Whether there is a person at a terminal to ask. */
export function mayAsk({ yes }: AskFlags): boolean {
  return yes !== true && process.stdin.isTTY && process.stderr.isTTY;
}
