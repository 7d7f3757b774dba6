import type { Ledger } from '../../ledger/ledger.ts';
import type { BatchRecord } from '../../ledger/batches/batch-records.ts';
import type { Counts } from '../../ledger/batches/counts.ts';
import { endedOf, openOf } from './counts-view.ts';
import type { ApiHealth } from '../../policy/pacing/rate.ts';
import type { BatchView } from '../../batches/status/view-batch.ts';

/** How fast the rows of a batch end, judged by those of the last minute. */
export interface PaceView {
  readonly rowsPerSecond: number;
  /** Null if it cannot be estimated. */
  readonly secondsLeft: number | null;
}

/** How many rows had ended at a moment. `atMs`: monotonic, ms. */
export interface Moment {
  readonly atMs: number;
  readonly ended: number;
}

/** The rows that have not ended. */
export interface OpenRows {
  readonly running: number;
  readonly waiting: number;
  /** Max paid requests per second; null means no limit. */
  readonly rate: number | null;
}

/** The pace is judged by rows that ended within this time, ms. */
const PACE_MS = 60_000;

/** Max moments kept; a batch has a few per second. */
const MAX_SEEN = 2_000;

/**
 * Time constant of the estimate's smoothing, ms: rows that end in bursts would make the estimated end jump back and
 * forth.
 */
const SMOOTHING_MS = 10_000;
/** Near the end of the batch, the time constant is at most this share of the time left. */
const MAX_SMOOTHING_SHARE = 0.25;

/** The pace of a batch that is observed repeatedly. Times are monotonic, ms. */
export class Pace {
  #seen: Moment[];
  /** The last estimate of when all rows will have ended, and when it was made. */
  #end: { readonly atMs: number; readonly madeMs: number } | undefined;

  /** @param earlier moments known from before the first update */
  constructor(earlier: readonly Moment[] = []) {
    this.#seen = [...earlier];
  }

  /** Takes the current counts into account and returns the pace. */
  update(nowMs: number, batch: Pick<BatchRecord, 'control' | 'state' | 'settings'>, counts: Counts): PaceView {
    const ended = endedOf(counts);
    const before = this.#seen.at(-1)?.ended;
    // Rows were reopened.
    if (before !== undefined && before > ended) this.#seen = [];
    if (before !== ended) this.#seen.push({ atMs: nowMs, ended });
    if (this.#seen.length > MAX_SEEN) this.#seen.shift();
    const open = { ...openOf(counts), rate: batch.settings.limits.rate };
    // A paused or stopped batch goes on only by request, or never.
    const goesOn = batch.state === 'open' && batch.control === 'running';
    const left = goesOn ? timeLeft(this.#seen, nowMs, open) : undefined;
    this.#end = left === undefined ? undefined : { atMs: this.#smooth(nowMs, left), madeMs: nowMs };
    return {
      rowsPerSecond: batch.state === 'closed' ? 0 : Number(rowsPerSecond(this.#seen, nowMs).toPrecision(3)),
      secondsLeft: this.#end === undefined ? null : Math.max(0, Math.round((this.#end.atMs - nowMs) / 1_000)),
    };
  }

  /** Smooths the estimated end exponentially: it moves from the last estimate towards the new one. */
  #smooth(nowMs: number, leftMs: number): number {
    const estimate = nowMs + leftMs;
    if (this.#end === undefined) return estimate;
    const { atMs, madeMs } = this.#end;
    const timeConstant = Math.min(SMOOTHING_MS, Math.max(1_000, leftMs * MAX_SMOOTHING_SHARE));
    return atMs + (estimate - atMs) * (1 - Math.exp(-(nowMs - madeMs) / timeConstant));
  }
}

type PaceLedger = Pick<Ledger, 'recentEnds' | 'counts'>;

/** Reads the current pace of a batch, for a single display. */
export async function paceOf(
  ledger: PaceLedger,
  { batch, counts }: { readonly batch: BatchRecord; readonly counts: Counts },
): Promise<PaceView> {
  const pace = batch.state === 'closed' ? new Pace() : await beginPace(ledger, batch.name);
  return pace.update(performance.now(), batch, counts);
}

/** Starts to observe a batch, from the rows that ended in the last minute by the ledger. */
export async function beginPace(ledger: PaceLedger, batch: string): Promise<Pace> {
  const { rows, first, last } = await ledger.recentEnds(batch, Date.now() - PACE_MS);
  if (rows === 0) return new Pace();
  const ended = endedOf(await ledger.counts(batch));
  // The clock may be another machine's.
  const at = (time: number): number => performance.now() - Math.min(PACE_MS, Math.max(0, Date.now() - time));
  // The moments just before and after the first of these rows ended, and the one at which the last ended.
  const begun = { atMs: at(first), ended: ended - rows };
  return new Pace([begun, { ...begun, ended: begun.ended + 1 }, { atMs: at(last), ended }]);
}

/** Rows that ended per second since the last moment at least {@link PACE_MS} ago. */
function rowsPerSecond(seen: readonly Moment[], nowMs: number): number {
  const from = seen.findLast(({ atMs }) => atMs <= nowMs - PACE_MS) ?? seen[0];
  const ended = (seen.at(-1)?.ended ?? 0) - (from?.ended ?? 0);
  return from === undefined || ended === 0 ? 0 : (ended * 1_000) / Math.max(1_000, nowMs - from.atMs);
}

/** Min rows that must have ended before the time left is estimated. */
const MIN_ENDED = 3;

/**
 * Nothing is predicted if no row has ended for both this many average gaps between two ends, and this many times the
 * longest gap.
 */
const AVERAGE_GAPS = 5;
const LONGEST_GAPS = 1.5;

/**
 * Estimates the time left, ms, from the rows that ended in the last minute, or in a longer time in which at least twice
 * as many rows ended as are running. With fewer rows, the start of the batch, when no row could have ended yet, would
 * distort the pace: a batch of 18 s was predicted to last an hour. Never less than the request rate allows. Undefined
 * if too few rows have ended, if rows have stopped ending, and once the estimate has run out.
 */
export function timeLeft(seen: readonly Moment[], nowMs: number, open: OpenRows): number | undefined {
  const { running, waiting, rate } = open;
  const [first, last] = [seen[0], seen.at(-1)];
  if (first === undefined || last === undefined) return undefined;
  // With no row waiting, the running ones are the last, and half as many ends suffice.
  if (last.ended - first.ended < Math.max(MIN_ENDED, (waiting > 0 ? 2 : 1) * running)) return undefined;
  // Leaves out the start of the batch, when no row could have ended yet, if there are enough moments.
  const known = seen.length > 2 ? seen.slice(1) : seen;
  const isEnough = ({ atMs, ended }: Moment): boolean =>
    atMs <= nowMs - PACE_MS && last.ended - ended >= Math.max(MIN_ENDED, 2 * running);
  const begin = Math.max(0, known.findLastIndex(isEnough));
  const from = known[begin] ?? first;
  const ended = last.ended - from.ended;
  if (ended < MIN_ENDED) return undefined;
  const silentMs = nowMs - last.atMs;
  if (silentMs > (AVERAGE_GAPS * (nowMs - from.atMs)) / ended && silentMs > LONGEST_GAPS * longestGap(known, begin))
    return undefined;
  const remaining = ((last.atMs - from.atMs) / ended) * (running + waiting) - silentMs;
  if (remaining < 0) return undefined;
  return Math.max(remaining, rate === null ? 0 : (waiting / rate) * 1_000);
}

/** The longest time between two ends: jobs of equal length end in groups, with pauses in between. */
function longestGap(seen: readonly Moment[], begin: number): number {
  let longest = 0;
  for (let at = begin + 1; at < seen.length; at++)
    longest = Math.max(longest, (seen[at]?.atMs ?? 0) - (seen[at - 1]?.atMs ?? 0));
  return longest;
}

/**
 * Returns the pace, or a pace of 0 while the API does not answer or no worker is alive: the rows of the last minute
 * then predict nothing. `isServed`: whether a worker is alive. Default: true.
 */
export function paceWhile(
  { api, isServed = true }: { readonly api?: ApiHealth | undefined; readonly isServed?: boolean },
  pace: PaceView,
): PaceView {
  return api?.silence == null && isServed ? pace : { rowsPerSecond: 0, secondsLeft: null };
}

/**
 * Returns when the current work on a batch began, ms since 1970: its first request, or its last reopening, so that idle
 * days in between do not count. `first`: time of its first request ever. Undefined if work has not begun.
 */
export function workSpan({
  startedAt,
  reopenedAt,
}: Pick<BatchView['batch'], 'startedAt' | 'reopenedAt'>):
  { readonly from: number; readonly first: number; readonly isReopened: boolean } | undefined {
  if (startedAt === null) return undefined;
  const isReopened = reopenedAt !== null && reopenedAt > startedAt;
  return { from: isReopened ? reopenedAt : startedAt, first: startedAt, isReopened };
}
