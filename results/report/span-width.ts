/** A chart of a million points helps nobody, and browsers stumble over far fewer. */
const MOST_SPANS = 120;
const [SECOND, MINUTE, HOUR, DAY] = [1_000, 60_000, 3_600_000, 86_400_000];
const WIDTHS = [
  ...[1, 2, 5, 10, 15, 30].map((n) => n * SECOND),
  ...[1, 2, 5, 10, 15, 30].map((n) => n * MINUTE),
  ...[1, 2, 4, 8].map((n) => n * HOUR),
  ...[1, 2, 7, 14, 30, 90].map((n) => n * DAY),
];

/** Width of the spans of a chart that is so long, ms. */
export function spanWidth(lengthMs: number): number {
  return WIDTHS.find((width) => lengthMs / width < MOST_SPANS - 1) ?? 365 * DAY;
}
