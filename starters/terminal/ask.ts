import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { showControls } from '../../contract/control-characters.ts';
import { ExitError } from '../exit-error.ts';
import type { Person } from '../../client/person.ts';

/** Where a question is asked and answered. */
export interface Terminal {
  readonly input: Readable;
  readonly output: Writable;
}

/**
 * Asks the user on stderr, since stdout is for data, and reads one line. Only `y` and `yes` mean yes; an empty line,
 * the end of input and Ctrl-C mean no.
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
      // Without Enter, the next message must start on its own line.
      if (isYes === undefined) output.write('\n');
      resolve(isYes ?? false);
    });
    // A carriage return would let the following text overwrite the preceding one.
    const shown = showControls(question).replaceAll('\r', String.raw`\r`);
    lines.question(`${shown} [y/N] `, (answer) => {
      isYes = /^\s*y(?:es)?\s*$/i.test(answer);
      lines.close();
    });
  });
}

/** Flags that decide whether the user may be asked. */
export interface AskFlags {
  /** Do not ask. For what needs a confirmation of its own, this is no yes. */
  readonly yes?: boolean;
}

/** Whether the user is at a terminal and may be asked. */
export function mayAsk({ yes }: AskFlags): boolean {
  return yes !== true && process.stdin.isTTY && process.stderr.isTTY;
}

/** Asks the user; resolves with false for no. */
export type Ask = (question: string) => Promise<boolean>;

/** Throws {@link ExitError} `refused` if a removal has no `--yes` and the user cannot be asked. */
export function requireConsent({ yes, canAsk }: Pick<Person, 'yes' | 'canAsk'>): void {
  if (yes || canAsk) return;
  throw new ExitError('refused', 'Not confirmed, and there is no terminal to ask on. Nothing was removed. Add --yes.');
}

/** Asks whether to remove what was shown. Throws {@link ExitError} `refused` for no. */
export async function confirmRemoval(ask: Ask): Promise<void> {
  if (!(await ask('Remove this for good?'))) throw new ExitError('refused', 'Not confirmed. Nothing was removed.');
}
