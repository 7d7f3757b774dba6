/**
 * Reads the table with exactly these columns from a Markdown page, so that a test can compare it with what the code
 * says. Cells come as they are written, without the spaces around them; `\|` is a bar.
 *
 * @param columns the header's cells, in order
 * @returns the rows from top to bottom, by column
 * @throws Error if the page has no such table, or several, or a row with another number of cells
 */
export function readTable<Column extends string>(
  markdown: string,
  columns: readonly Column[],
): readonly Readonly<Record<Column, string>>[] {
  const tables = findTables(markdown);
  const wanted = tables.filter(({ header }) => header.join('|') === columns.join('|'));
  const [table] = wanted;
  if (table === undefined || wanted.length > 1) {
    const there = tables.map(({ header }) => `| ${header.join(' | ')} |`).join('\n');
    throw new Error(
      `Expected one table | ${columns.join(' | ')} |, found ${String(wanted.length)}. The tables are:\n${there}`,
    );
  }
  return table.rows.map((cells) => {
    if (cells.length !== columns.length) {
      throw new Error(`Expected ${String(columns.length)} cells, found ${String(cells.length)}: ${cells.join(' | ')}`);
    }
    return Object.fromEntries(columns.map((column, at) => [column, cells[at]])) as Record<Column, string>;
  });
}

/** A cell without the marks of code: `` `a` or `b` `` becomes `a or b`. */
export function withoutMarks(cell: string): string {
  return cell.replaceAll('`', '');
}

interface Table {
  readonly header: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** All tables outside of fenced code, from top to bottom. */
function findTables(markdown: string): readonly Table[] {
  const lines = markdown.replace(/^```.*?^```/gms, '').split(/\r?\n/);
  return lines.flatMap((line, at): readonly Table[] => {
    if (!/^\|(\s*:?-+:?\s*\|)+$/.test(line.trim())) return [];
    const end = lines.findIndex((after, index) => index > at && !after.trimStart().startsWith('|'));
    return [
      {
        header: cellsOf(lines[at - 1] ?? ''),
        rows: lines.slice(at + 1, end === -1 ? undefined : end).map(cellsOf),
      },
    ];
  });
}

function cellsOf(line: string): readonly string[] {
  const inner = line
    .trim()
    .replace(/^\|/, '')
    .replace(/(?<!\\)\|$/, '');
  return inner.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll('\\|', '|'));
}
