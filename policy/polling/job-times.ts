/**
 * How long jobs of one kind take, as observed: a histogram whose bins grow by a constant factor, so that its size does
 * not depend on the number of jobs, and that survives JSON. Old jobs fade, so it follows a service that becomes slower.
 *
 * Nobody sees a job end: it runs at one poll and has ended at the next, so each observation is a span. A span is spread
 * over its bins in proportion to other jobs, so that polls far apart do not blur better observations.
 */
export interface JobTimes {
  /** Jobs per bin, from the first non-empty bin; empty before the first job. Fractions are parts of spans. */
  readonly jobs: readonly number[];
  /** Number of the first bin in `jobs`. */
  readonly first: number;
}

/** A job was still running `fromMs` after its acceptance, and had ended after `toMs`. */
export type Span = readonly [fromMs: number, toMs: number];

export const NO_JOB_TIMES: JobTimes = { jobs: [], first: 0 };

const GROWTH = 1.04;
const SHORTEST_MS = 10;
/** About eleven hours. */
const MOST_BINS = 390;
/** From this many jobs on, all earlier ones count half. */
const FADE_AT = 4_000;
/** Share of a span that is spread evenly, whatever is known about other jobs. */
const EVENLY = 0.05;

/** Lower edges of the bins, ms, and the upper one of the last. A power for each bin of each span took 2 % of the ledger's thread. */
const EDGES = Array.from({ length: MOST_BINS + 1 }, (_, bin) => (bin === 0 ? 0 : SHORTEST_MS * GROWTH ** bin));

/** Lower edge of a bin, ms; the first one begins at 0. */
function edgeOf(bin: number): number {
  return EDGES[bin] ?? SHORTEST_MS * GROWTH ** bin;
}

function binOf(ms: number): number {
  if (ms < SHORTEST_MS * GROWTH) return 0;
  return Math.min(MOST_BINS - 1, Math.floor(Math.log(ms / SHORTEST_MS) / Math.log(GROWTH)));
}

/** Number of known jobs, minus those that have faded. */
export function jobsIn({ jobs }: JobTimes): number {
  return jobs.reduce((sum, count) => sum + count, 0);
}

/** Learns from ended jobs. */
export function learnTimes(before: JobTimes, spans: readonly Span[]): JobTimes {
  if (spans.length === 0) return before;
  const counts = new Array<number>(MOST_BINS).fill(0);
  for (const [index, count] of before.jobs.entries()) counts[before.first + index] = count;
  let total = jobsIn(before);
  for (const [fromMs, toMs] of spans) {
    spread(counts, Math.max(0, Math.min(fromMs, toMs)), Math.max(0, toMs));
    total += 1;
    if (total < FADE_AT) continue;
    for (const [bin, count] of counts.entries()) counts[bin] = count / 2;
    total /= 2;
  }
  const first = counts.findIndex((count) => count > 0);
  const last = counts.findLastIndex((count) => count > 0);
  return { first, jobs: counts.slice(first, last + 1).map((count) => Math.round(count * 1e4) / 1e4) };
}

/** Adds one job to the bins of its span. */
function spread(counts: number[], fromMs: number, toMs: number): void {
  const [low, high] = [binOf(fromMs), binOf(toMs)];
  if (low === high) {
    counts[low] = (counts[low] ?? 0) + 1;
    return;
  }
  const parts: { readonly bin: number; readonly width: number; readonly known: number }[] = [];
  for (let bin = low; bin <= high; bin++) {
    const [begin, end] = [edgeOf(bin), edgeOf(bin + 1)];
    const width = Math.max(0, Math.min(end, toMs) - Math.max(begin, fromMs));
    parts.push({ bin, width, known: ((counts[bin] ?? 0) * width) / (end - begin) });
  }
  const widths = parts.reduce((sum, { width }) => sum + width, 0);
  const known = parts.reduce((sum, part) => sum + part.known, 0);
  const evenly = known > 0 ? EVENLY : 1;
  for (const part of parts) {
    const share = (evenly * part.width) / widths + (known > 0 ? ((1 - evenly) * part.known) / known : 0);
    counts[part.bin] = (counts[part.bin] ?? 0) + share;
  }
}

/** For each share of the jobs (ascending, in [0, 1]), the time by which that share has ended, ms. */
export function quantilesOf(times: JobTimes, parts: readonly number[]): readonly number[] {
  const total = jobsIn(times);
  const found: number[] = [];
  let [bin, below] = [0, 0];
  for (const part of parts) {
    const wanted = part * total;
    while (bin < times.jobs.length - 1 && (below + (times.jobs[bin] ?? 0) < wanted || (times.jobs[bin] ?? 0) === 0)) {
      below += times.jobs[bin] ?? 0;
      bin += 1;
    }
    const [begin, end] = [edgeOf(times.first + bin), edgeOf(times.first + bin + 1)];
    const inside = Math.min(1, Math.max(0, (wanted - below) / Math.max(1e-9, times.jobs[bin] ?? 0)));
    found.push(begin + (end - begin) * inside);
  }
  return found;
}
