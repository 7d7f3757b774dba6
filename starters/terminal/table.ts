import truncatedWidth from 'fast-string-truncated-width';

/** A column of a table for people. */
export interface TableColumn<T> {
  readonly title: string;
  readonly value: (row: T) => string;
  /** Numbers are aligned right. Default left. */
  readonly align?: 'left' | 'right';
}

/** A table as lines of plain text: a line of titles, then a line per row, with two blanks between columns. */
export function tableLines<T>(columns: readonly TableColumn<T>[], rows: readonly T[]): readonly string[] {
  const cells = [
    columns.map(({ title }) => title),
    ...rows.map((row) => columns.map(({ value }) => oneLine(value(row)))),
  ];
  const widths = columns.map((_, at) => Math.max(...cells.map((line) => widthOf(line[at] ?? ''))));
  return cells.map((line) =>
    line
      .map((cell, at) => {
        const blanks = ' '.repeat((widths[at] ?? 0) - widthOf(cell));
        return columns[at]?.align === 'right' ? blanks + cell : cell + blanks;
      })
      .join('  ')
      .trimEnd(),
  );
}

/**
 * Removes control characters, which would break the lines, show them in another order or, worse, control the terminal.
 */
export function oneLine(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Bidi_Control}\u2028\u2029]+/gu, ' ');
}

/** A cell as one line, cut to this many characters. */
export function clipped(cell: string, longest: number): string {
  const line = oneLine(cell);
  return line.length > longest ? `${line.slice(0, longest)}…` : line;
}

/** Lines below a title. */
export function indent(lines: readonly string[]): readonly string[] {
  return lines.map((line) => `  ${line}`);
}

/** Terminal cells of a text: East Asian characters and emoji take two, combining marks none. */
export function widthOf(text: string): number {
  return truncatedWidth(text).width;
}

/** The longest beginning of a text that fits into this many cells. No character is cut in two. */
export function cutToWidth(text: string, cells: number): string {
  return text.slice(0, truncatedWidth(text, { limit: cells, ellipsis: '' }).index);
}
