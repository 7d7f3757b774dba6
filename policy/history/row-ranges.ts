import type { RowRanges } from '../../contract/actions.ts';

/** Compresses row numbers, in any order and with duplicates, into ranges. */
export function rangesOf(rows: Iterable<number>): RowRanges {
  return mergeRanges(Array.from(rows, (row) => [row, row] as const));
}

/** Merges overlapping and adjacent ranges, and sorts them. */
export function mergeRanges(ranges: RowRanges): RowRanges {
  const all: [number, number][] = [];
  for (const [first, last] of ranges.toSorted(([one], [other]) => one - other)) {
    const open = all.at(-1);
    if (open !== undefined && first <= open[1] + 1) open[1] = Math.max(open[1], last);
    else all.push([first, last]);
  }
  return all;
}

/** Whether a row is in one of the ranges. */
export function hasRow(ranges: RowRanges, row: number): boolean {
  return ranges.some(([first, last]) => first <= row && row <= last);
}

/** Returns the number of rows in ranges that do not overlap. */
export function countRows(ranges: RowRanges): number {
  return ranges.reduce((sum, [first, last]) => sum + last - first + 1, 0);
}
