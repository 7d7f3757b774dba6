/** How a number of measurements are spread. */
export interface Spread {
  readonly count: number;
  readonly median: number;
  /** 95 % of them are no larger. */
  readonly p95: number;
}

/** Median and 95th percentile of measurements, each being one of them (nearest rank); null if there are none. */
export function spreadOf(values: readonly number[]): Spread | null {
  if (values.length === 0) return null;
  const sorted = values.toSorted((a, b) => a - b);
  return { count: sorted.length, median: atRank(sorted, 0.5), p95: atRank(sorted, 0.95) };
}

function atRank(sorted: readonly number[], part: number): number {
  return sorted[Math.max(0, Math.ceil(part * sorted.length) - 1)] ?? 0;
}
