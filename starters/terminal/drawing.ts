/** The width of a terminal that does not report its own. */
const DEFAULT_COLUMNS = 80;

/** A terminal to draw on: stderr, or a test's own. */
export interface Screen {
  write(text: string): void;
  /** Cells of a line; undefined or 0 if unknown. May change at any time, when the window is resized. */
  readonly columns: number | undefined;
  readonly rows: number | undefined;
}

/** Returns lines of at most `cells` cells, so that none wraps. */
export type DrawnLines = (cells: number) => readonly string[];

const NONE: DrawnLines = () => [];

/** Lines that stay at the bottom of a terminal while other output scrolls above them. */
export class Drawing {
  readonly #screen: Screen;
  #lines = NONE;
  #drawn: readonly string[] = [];
  #columns = 0;

  constructor(screen: Screen) {
    this.#screen = screen;
  }

  /** Replaces the lines. */
  show(lines: DrawnLines): void {
    this.#lines = lines;
    const columns = (this.#screen.columns ?? 0) > 1 ? (this.#screen.columns ?? 0) : DEFAULT_COLUMNS;
    // Lines that scroll out of the window could not be erased later.
    const cut = lines(columns - 1).slice(0, Math.max(1, (this.#screen.rows || Infinity) - 1));
    if (columns === this.#columns && cut.join('\n') === this.#drawn.join('\n')) return;
    this.#screen.write(`${eraseCodes(this.#drawn.length)}${cut.join('\n')}`);
    this.#drawn = cut;
    this.#columns = columns;
  }

  /** Calls `write`, whose output goes above the lines. */
  above(write: () => void): void {
    const lines = this.#lines;
    if (this.#drawn.length > 0) this.show(NONE);
    write();
    if (lines !== NONE) this.show(lines);
  }
}

/**
 * Returns the control codes that erase the last `lines` lines. If the window was made narrower they may have wrapped,
 * and parts of them stay above.
 */
function eraseCodes(lines: number): string {
  if (lines === 0) return '';
  return lines === 1 ? '\r\u001b[2K' : `\r\u001b[${String(lines - 1)}A\u001b[0J`;
}
