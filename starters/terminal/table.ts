import truncatedWidth from 'fast-string-truncated-width';

/** A column of {@link tableLines}. */
export interface TableColumn<T> {
  readonly title: string;
  readonly value: (row: T) => string;
  /** Numbers are aligned right. Default: left. */
  readonly align?: 'left' | 'right';
}

/** Formats a table as plain text: a line of titles, then a line per row, columns padded to the same width. */
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

/** Replaces characters that would break the line, change its direction or control the terminal, by spaces. */
export function oneLine(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Bidi_Control}\u2028\u2029]+/gu, ' ');
}

/** Returns a cell as one line of at most `maxLength` characters, and `…` if it was cut. */
export function clipped(cell: string, maxLength: number): string {
  const line = oneLine(cell);
  return line.length > maxLength ? `${line.slice(0, maxLength)}…` : line;
}

/** Indents lines below a title. */
export function indent(lines: readonly string[]): readonly string[] {
  return lines.map((line) => `  ${line}`);
}

/** Returns the width of a text in terminal cells: East Asian characters and emoji take two, combining marks none. */
export function widthOf(text: string): number {
  return truncatedWidth(text).width;
}

/** Cuts a text to at most `cells` terminal cells, between characters. */
export function cutToWidth(text: string, cells: number): string {
  return text.slice(0, truncatedWidth(text, { limit: cells, ellipsis: '' }).index);
}
