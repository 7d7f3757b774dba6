import type { Outcome } from '../../contract/outcomes.ts';
import type { ReportHead } from '../../contract/report.ts';
import { isoTime } from '../../contract/times.ts';

/** Max spans kept while rows come, many more than a chart has. */
const MAX_KEPT = 20_000;

/**
 * Counts how many rows ended when, by outcome, for a chart. Counts in spans of time that become wider as needed, so
 * that it takes little memory however many rows there are and however long they take.
 */
export class EndTimeline {
  /** Width of a span, ms. */
  #widthMs = 1_000;
  /** Counts by the start of their span, ms since 1970. */
  #spans = new Map<number, Partial<Record<Outcome, number>>>();

  /** Adds a row. `endedAt`: ms since 1970. */
  add(endedAt: number, outcome: Outcome): void {
    this.#count(endedAt, { [outcome]: 1 });
    if (this.#spans.size <= MAX_KEPT) return;
    this.#widthMs *= 2;
    this.#spans = this.#regrouped(this.#widthMs);
  }

  /** Returns the chart; null if no row has ended. */
  view(): ReportHead['ends'] {
    if (this.#spans.size === 0) return null;
    const known = [...this.#spans.keys()];
    const first = known.reduce((a, b) => Math.min(a, b));
    const last = known.reduce((a, b) => Math.max(a, b));
    const widthMs = Math.max(this.#widthMs, spanWidth(last - first));
    const spans = [...this.#regrouped(widthMs)].sort(([one], [other]) => one - other);
    return {
      from: isoTime(Math.floor(first / widthMs) * widthMs),
      to: isoTime(Math.floor(last / widthMs) * widthMs + widthMs),
      widthMs,
      spans: spans.map(([at, ends]) => ({ at: isoTime(at), ends })),
    };
  }

  /** Returns the counts in spans of another width. */
  #regrouped(widthMs: number): Map<number, Partial<Record<Outcome, number>>> {
    const wide = new EndTimeline();
    wide.#widthMs = widthMs;
    for (const [at, ends] of this.#spans) wide.#count(at, ends);
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

/** Max spans of a chart, so that it stays readable and quick to draw. */
const MAX_SPANS = 120;
const [SECOND, MINUTE, HOUR, DAY] = [1_000, 60_000, 3_600_000, 86_400_000];
/** Widths that a reader can count in, ms. */
const WIDTHS = [
  ...[1, 2, 5, 10, 15, 30].map((n) => n * SECOND),
  ...[1, 2, 5, 10, 15, 30].map((n) => n * MINUTE),
  ...[1, 2, 4, 8].map((n) => n * HOUR),
  ...[1, 2, 7, 14, 30, 90].map((n) => n * DAY),
];

/** Returns the width, ms, of the spans of a chart of this length. */
export function spanWidth(lengthMs: number): number {
  return WIDTHS.find((width) => lengthMs / width < MAX_SPANS - 1) ?? 365 * DAY;
}
