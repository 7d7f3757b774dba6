import type { Output } from './output.ts';
import { cutToWidth } from './width.ts';

/** Without a terminal, a line at most this often, ms. */
const PLAIN_EVERY_MS = 5_000;

/** A line on stderr that changes: redrawn in its place on a terminal, printed every few seconds elsewhere. */
export class ProgressLine {
  readonly #output: Output;
  #shownAt = -Infinity;
  #shown = '';
  /** What is drawn on the terminal has no end of line yet. */
  #isDrawn = false;

  constructor(output: Output) {
    this.#output = output;
  }

  /** `final`: nothing follows, so it is shown in any case, and stays. */
  show(line: string, final = false): void {
    if (this.#output.isQuiet === true) return;
    const now = performance.now();
    if (this.#output.isTerminal) {
      const width = process.stderr.columns;
      process.stderr.write(`\r\u001b[2K${width > 0 ? cutToWidth(line, width - 1) : line}`);
      this.#isDrawn = true;
      if (final) this.end();
    } else if (line !== this.#shown && (final || now - this.#shownAt >= PLAIN_EVERY_MS)) {
      this.#output.say(line);
      this.#shownAt = now;
      this.#shown = line;
    }
  }

  /** Makes room for a message between two drawings. */
  interrupt(): void {
    if (this.#output.isTerminal) process.stderr.write('\r\u001b[2K');
    this.#isDrawn = false;
  }

  /** Nothing follows: what is drawn stays, on a line of its own. */
  end(): void {
    if (this.#isDrawn) process.stderr.write('\n');
    this.#isDrawn = false;
  }
}
