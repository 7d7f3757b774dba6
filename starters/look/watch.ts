import { printAnswer, type RunContext, type Output } from '../terminal/output.ts';
import { viewStatus } from '../../client/look/status-view.ts';
import { type BatchStatus, PATIENCE_MS, watchBatch } from '../../client/look/status.ts';
import type { Flags } from '../commands/flags.ts';
import type { ExitName } from '../../contract/exit-codes.ts';
import { atLedger } from '../connect/settings.ts';
import { listenForInterrupt } from '../run/interrupt.ts';
import { commandLine } from '../terminal/words.ts';
import { ProgressDisplay } from '../terminal/progress.ts';
import { statusLines } from '../terminal/status-words.ts';
import { cutToWidth } from '../terminal/table.ts';

/**
 * `voxbatch watch [BATCH]`: shows a batch until it is finished, paused, or nobody works on it any more, then prints its
 * status. On a terminal the status is redrawn; elsewhere it is a plain line now and then. Ctrl-C ends watching, never
 * the batch.
 */
export async function watch(name: string | undefined, flags: Flags, { output }: RunContext): Promise<ExitName> {
  return atLedger(
    async (ledger, settings) => {
      const sayStopped = (batch = name): void => {
        const again = commandLine({ command: 'watch', args: batch === undefined ? [] : [batch] });
        output.say(`Stopped watching; the batch is not affected. Watch again: ${again}`);
      };
      const interrupt = listenForInterrupt(
        () => undefined,
        () => {
          sayStopped();
        },
      );
      const { signal } = interrupt;
      const show = displayOn(output);
      const say = (line: string): void => {
        show(undefined);
        output.say(line);
      };
      try {
        for await (const { type, status } of watchBatch(ledger, settings, { name, signal, say })) {
          show(type === 'progress' ? status : undefined);
          if (type === 'deserted')
            output.say(
              `Batch "${status.batch.name}" has no worker. Waiting ${String(PATIENCE_MS / 1_000)} s for one …`,
            );
          if (type !== 'ended') continue;
          printAnswer(output, flags, viewStatus(status), () => statusLines(status, Date.now()));
          if (!signal.aborted) return status.exit;
          sayStopped(status.batch.name);
        }
      } catch (error) {
        // It was told to end while it waited for the ledger's database.
        if (!signal.aborted) throw error;
        sayStopped();
      } finally {
        interrupt.dispose();
      }
      return interrupt.exit();
    },
    { waits: true },
  );
}

/** Shows a batch; undefined ends it. */
function displayOn(output: Output): (status: BatchStatus | undefined) => void {
  if (output.isTerminal) {
    const drawing = new Drawing();
    return (status) => {
      if (status === undefined) drawing.clear();
      else drawing.show(statusLines(status, Date.now()));
    };
  }
  const display = new ProgressDisplay(output);
  return (status) => {
    if (status !== undefined) display.show(status);
  };
}

/** Width of a terminal that does not report its own. */
const USUAL_COLUMNS = 80;

/** Where a drawing goes: stderr of this process, or a test's own. */
export interface Screen {
  write(text: string): void;
  /** Cells of a line; undefined or 0 if the terminal does not say. */
  readonly columns: number | undefined;
}

/** Some lines on a terminal that the next ones replace. */
export class Drawing {
  readonly #screen: Screen;
  #height = 0;

  constructor(screen: Screen = { write: (text) => process.stderr.write(text), columns: process.stderr.columns }) {
    this.#screen = screen;
  }

  /** Draws these lines in place of the last ones. Lines are cut to the width, so that each takes one. */
  show(lines: readonly string[]): void {
    const columns = this.#screen.columns ?? 0;
    const cut = lines.map((line) => cutToWidth(line, (columns > 1 ? columns : USUAL_COLUMNS) - 1));
    const up = this.#height === 0 ? '' : `\u001b[${this.#height}A\r\u001b[0J`;
    this.#screen.write(`${up}${cut.map((line) => `${line}\n`).join('')}`);
    this.#height = lines.length;
  }

  /** Removes the lines. */
  clear(): void {
    if (this.#height > 0) this.show([]);
  }
}
