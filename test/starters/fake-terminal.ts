import type { Screen } from '../../starters/terminal/drawing.ts';

/** A terminal that knows what a drawing needs: line breaks, wrapping, and to erase a line or all below. Resized, it keeps its lines as they are. */
export class FakeTerminal implements Screen {
  columns: number;
  readonly rows: number;
  /** Writes so far. */
  written = 0;
  /** Also those that were scrolled away. */
  readonly #lines: string[] = [''];
  #row = 0;
  #column = 0;

  constructor(columns: number, rows: number) {
    this.columns = columns;
    this.rows = rows;
  }

  /** What stands there, without empty lines at the end. */
  lines(): readonly string[] {
    return this.#lines.slice(0, this.#lines.findLastIndex((line) => line !== '') + 1);
  }

  write(text: string): void {
    this.written += 1;
    // eslint-disable-next-line no-control-regex -- what terminals read
    for (const [token] of text.matchAll(/\u001b\[(\d*)[AJK]|[^]/g)) this.#read(token);
  }

  #read(token: string): void {
    const top = Math.max(0, this.#lines.length - this.rows);
    if (token === '\r') this.#column = 0;
    else if (token === '\n') this.#down();
    else if (token.endsWith('A') && token.length > 1)
      this.#row = Math.max(top, this.#row - Number(token.slice(2, -1) || 1));
    else if (token === '\u001b[2K') this.#lines[this.#row] = '';
    else if (token === '\u001b[0J') {
      this.#lines.splice(this.#row + 1);
      this.#lines[this.#row] = this.#line.slice(0, this.#column);
    } else this.#print(token);
  }

  #print(character: string): void {
    if (this.#column >= this.columns) this.#down();
    const before = this.#line.slice(0, this.#column).padEnd(this.#column);
    this.#lines[this.#row] = `${before}${character}${this.#line.slice(this.#column + 1)}`;
    this.#column += 1;
  }

  get #line(): string {
    return this.#lines[this.#row] ?? '';
  }

  #down(): void {
    this.#row += 1;
    this.#column = 0;
    this.#lines[this.#row] ??= '';
  }
}
