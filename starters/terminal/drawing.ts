/** Width of a terminal that does not report its own. */
const USUAL_COLUMNS = 80;

/** Where a drawing goes: stderr of this process, or a test's own. */
export interface Screen {
  write(text: string): void;
  /** Cells of a line; undefined or 0 if the terminal does not say. A window may be resized at any time. */
  readonly columns: number | undefined;
  readonly rows: number | undefined;
}

/** Makes lines of at most so many cells, so that each takes one line of the screen. */
export type DrawnLines = (cells: number) => readonly string[];

const NONE: DrawnLines = () => [];

/** Lines at the bottom of a terminal, the cursor at the end of the last one. What else is written goes above them. */
export class Drawing {
  readonly #screen: Screen;
  #lines = NONE;
  #drawn: readonly string[] = [];
  #columns = 0;

  constructor(screen: Screen) {
    this.#screen = screen;
  }

  /** Draws these lines in place of the last ones. */
  show(lines: DrawnLines): void {
    this.#lines = lines;
    const columns = (this.#screen.columns ?? 0) > 1 ? (this.#screen.columns ?? 0) : USUAL_COLUMNS;
    // What is scrolled away could not be drawn over.
    const cut = lines(columns - 1).slice(0, Math.max(1, (this.#screen.rows || Infinity) - 1));
    if (columns === this.#columns && cut.join('\n') === this.#drawn.join('\n')) return;
    this.#screen.write(`${erasing(this.#drawn.length)}${cut.join('\n')}`);
    this.#drawn = cut;
    this.#columns = columns;
  }

  /** Writes something else above the lines. */
  above(write: () => void): void {
    const lines = this.#lines;
    if (this.#drawn.length > 0) this.show(NONE);
    write();
    if (lines !== NONE) this.show(lines);
  }
}

/**
 * Takes so many lines away. In a window that was made narrower they may take more: what stays of them hides nothing.
 */
function erasing(lines: number): string {
  if (lines === 0) return '';
  return lines === 1 ? '\r\u001b[2K' : `\r\u001b[${String(lines - 1)}A\u001b[0J`;
}
