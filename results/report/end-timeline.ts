import type { Outcome } from '../../contract/outcomes.ts';
import type { ReportHead } from '../../contract/report.ts';
import { isoTime } from '../../contract/times.ts';

/** Spans that are kept, many more than a chart has. */
const MOST_KEPT = 20_000;

/** Counts when rows ended, in little memory however many there are and however long they took. */
export class EndTimeline {
  #widthMs = 1_000;
  #spans = new Map<number, Partial<Record<Outcome, number>>>();

  add(endedAt: number, outcome: Outcome): void {
    this.#count(endedAt, { [outcome]: 1 });
    if (this.#spans.size <= MOST_KEPT) return;
    this.#widthMs *= 2;
    this.#spans = this.#in(this.#widthMs);
  }

  /** The chart; null if no row has ended. */
  view(): ReportHead['ends'] {
    if (this.#spans.size === 0) return null;
    const known = [...this.#spans.keys()];
    const [first, last] = [known.reduce((a, b) => Math.min(a, b)), known.reduce((a, b) => Math.max(a, b))];
    const widthMs = Math.max(this.#widthMs, spanWidth(last - first));
    const spans = [...this.#in(widthMs)].sort(([one], [other]) => one - other);
    return {
      from: isoTime(Math.floor(first / widthMs) * widthMs),
      to: isoTime(Math.floor(last / widthMs) * widthMs + widthMs),
      widthMs,
      spans: spans.map(([at, ends]) => ({ at: isoTime(at), ends })),
    };
  }

  #in(widthMs: number): Map<number, Partial<Record<Outcome, number>>> {
    const before = this.#spans;
    const wide = new EndTimeline();
    wide.#widthMs = widthMs;
    for (const [at, ends] of before) wide.#count(at, ends);
    return wide.#spans;
  }

  #count(at: number, ends: Readonly<Partial<Record<Outcome, number>>>): void {
    const from = Math.floor(at / this.#widthMs) * this.#widthMs;
    const sums = this.#spans.get(from) ?? {};
    for (const [outcome, rows] of Object.entries(ends) as [Outcome, number][])
      sums[outcome] = (sums[outcome] ?? 0) + rows;
    this.#spans.set(from, sums);
  }
}

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
