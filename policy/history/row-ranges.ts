import type { RowRanges } from '../../contract/actions.ts';

/** The rows with these numbers, which may come in any order and more than once. */
export function rangesOf(rows: Iterable<number>): RowRanges {
  return joined(Array.from(rows, (row) => [row, row] as const));
}

/** All rows of several ranges. */
export function joined(ranges: RowRanges): RowRanges {
  const all: [number, number][] = [];
  for (const [first, last] of ranges.toSorted(([one], [other]) => one - other)) {
    const open = all.at(-1);
    if (open !== undefined && first <= open[1] + 1) open[1] = Math.max(open[1], last);
    else all.push([first, last]);
  }
  return all;
}

export function hasRow(ranges: RowRanges, row: number): boolean {
  return ranges.some(([first, last]) => first <= row && row <= last);
}

export function countRows(ranges: RowRanges): number {
  return ranges.reduce((sum, [first, last]) => sum + last - first + 1, 0);
}
