import { cutToWidth } from './table.ts';

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
