import type { DistributionView } from '../../contract/report.ts';

/** Max bars of a histogram. */
const MAX_BARS = 24;
/**
 * Share of the values that sets the width of the bars: with all of them, a long tail would leave one bar for the rest.
 */
const SHOWN_SHARE = 0.99;
/** Significant digits to which values are rounded, which bounds how many different ones are kept. */
const DIGITS = 3;

/** Collects values for a histogram with mean, median and 95th percentile, in little memory however many there are. */
export class Distribution {
  readonly #counts = new Map<number, number>();
  #values = 0;
  #sum = 0;
  #min = Infinity;
  #max = -Infinity;

  /** Adds a value. Ignores negative and infinite ones. */
  add(value: number): void {
    if (!Number.isFinite(value) || value < 0) return;
    const rounded = Number(value.toPrecision(DIGITS));
    this.#counts.set(rounded, (this.#counts.get(rounded) ?? 0) + 1);
    this.#values += 1;
    this.#sum += value;
    this.#min = Math.min(this.#min, value);
    this.#max = Math.max(this.#max, value);
  }

  /** Returns the histogram; null without values. */
  view(): DistributionView | null {
    if (this.#values === 0) return null;
    const sorted = [...this.#counts].sort(([one], [other]) => one - other);
    /** The value below which this share of all values lies. */
    const at = (share: number): number => {
      let left = share * this.#values;
      return sorted.find(([, count]) => (left -= count) <= 0)?.[0] ?? this.#max;
    };
    return {
      values: this.#values,
      least: this.#min,
      most: this.#max,
      mean: tidy(this.#sum / this.#values),
      median: at(0.5),
      p95: at(0.95),
      bars: barsOf(sorted, at(SHOWN_SHARE)),
    };
  }
}

/** Values with their counts, ascending. */
type Counted = readonly (readonly [value: number, count: number])[];

/** Returns the bars of the histogram; the last one also counts all values above `shownMax`. */
function barsOf(sorted: Counted, shownMax: number): DistributionView['bars'] {
  const min = sorted[0]?.[0] ?? 0;
  const width = niceWidth((shownMax - min) / (MAX_BARS - 1));
  const first = Math.floor(tidy(min / width));
  const last = Math.floor(tidy(shownMax / width));
  const bars = Array.from({ length: last - first + 1 }, (_, index) => ({
    from: tidy((first + index) * width),
    to: tidy((first + index + 1) * width),
    values: 0,
  }));
  for (const [value, count] of sorted) {
    const bar = bars[Math.min(Math.floor(tidy(value / width)), last) - first];
    if (bar !== undefined) bar.values += count;
  }
  return bars;
}

/** Rounds a width up to 1, 2 or 5 times a power of ten. */
function niceWidth(wanted: number): number {
  if (wanted <= 0) return 1;
  const power = 10 ** Math.floor(Math.log10(wanted));
  return tidy(([1, 2, 5].find((times) => times * power >= tidy(wanted)) ?? 10) * power);
}

/** Removes the noise of binary fractions. */
function tidy(value: number): number {
  return Number(value.toPrecision(12));
}
