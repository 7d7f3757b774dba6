import type { Ledger } from '../../ledger/ledger.ts';
import type { BatchRecord } from '../../ledger/batches/batch-records.ts';
import type { Counts } from '../../ledger/batches/counts.ts';
import { endedOf, openOf } from './counts-view.ts';
import type { ApiHealth } from '../../policy/pacing/rate.ts';
import type { BatchView } from '../../batches/look/view-batch.ts';

/** How fast the rows of a batch end, by those of the last minute. */
export interface PaceView {
  readonly rowsPerSecond: number;
  /** Null where nobody can tell. */
  readonly secondsLeft: number | null;
}

/** A moment at which so many rows had ended. */
export interface Moment {
  readonly atMs: number;
  readonly ended: number;
}

/** The rows that have not ended. */
export interface OpenRows {
  readonly running: number;
  readonly waiting: number;
  /** Paid requests a second at most; null: no limit. */
  readonly rate: number | null;
}

/** How far back the ends of rows count. */
const PACE_MS = 60_000;

/** Moments that are kept, of some in a second. */
const MOST_SEEN = 2_000;

/** A new estimate counts for little at first, ms: rows that end in bursts would let the end jump to and fro. */
const STEADY_MS = 10_000;
/** Close to the end it counts for more: within this share of the time that is left. */
const STEADY_SHARE = 0.25;

/** The pace of a batch that is looked at again and again. Times are of a clock of one's own that never goes back. */
export class Pace {
  #seen: Moment[];
  /** When all rows will have ended, and when that was said last. */
  #end: { readonly atMs: number; readonly saidMs: number } | undefined;

  /** `earlier`: what is known from before the first look. */
  constructor(earlier: readonly Moment[] = []) {
    this.#seen = [...earlier];
  }

  /** The pace now. */
  look(nowMs: number, batch: Pick<BatchRecord, 'control' | 'state' | 'settings'>, counts: Counts): PaceView {
    const ended = endedOf(counts);
    const before = this.#seen.at(-1)?.ended;
    // Rows were opened again.
    if (before !== undefined && before > ended) this.#seen = [];
    if (before !== ended) this.#seen.push({ atMs: nowMs, ended });
    if (this.#seen.length > MOST_SEEN) this.#seen.shift();
    const open = { ...openOf(counts), rate: batch.settings.limits.rate };
    // A paused or stopped batch goes on only by request, or never.
    const goesOn = batch.state === 'open' && batch.control === 'running';
    const left = goesOn ? timeLeft(this.#seen, nowMs, open) : undefined;
    this.#end = left === undefined ? undefined : { atMs: this.#steady(nowMs, left), saidMs: nowMs };
    return {
      rowsPerSecond: batch.state === 'closed' ? 0 : Number(rowsPerSecond(this.#seen, nowMs).toPrecision(3)),
      secondsLeft: this.#end === undefined ? null : Math.max(0, Math.round((this.#end.atMs - nowMs) / 1_000)),
    };
  }

  #steady(nowMs: number, leftMs: number): number {
    const now = nowMs + leftMs;
    if (this.#end === undefined) return now;
    const { atMs, saidMs } = this.#end;
    const within = Math.min(STEADY_MS, Math.max(1_000, leftMs * STEADY_SHARE));
    return atMs + (now - atMs) * (1 - Math.exp(-(nowMs - saidMs) / within));
  }
}

type PaceLedger = Pick<Ledger, 'recentEnds' | 'counts'>;

/** The pace of a batch that is looked at once. */
export async function paceOf(
  ledger: PaceLedger,
  { batch, counts }: { readonly batch: BatchRecord; readonly counts: Counts },
): Promise<PaceView> {
  const pace = batch.state === 'closed' ? new Pace() : await beginPace(ledger, batch.name);
  return pace.look(performance.now(), batch, counts);
}

/** Begins to look at a batch, with what the ledger knows of the last minute. */
export async function beginPace(ledger: PaceLedger, batch: string): Promise<Pace> {
  const { rows, first, last } = await ledger.recentEnds(batch, Date.now() - PACE_MS);
  if (rows === 0) return new Pace();
  const ended = endedOf(await ledger.counts(batch));
  // The clock may be another machine's.
  const at = (time: number): number => performance.now() - Math.min(PACE_MS, Math.max(0, Date.now() - time));
  const begun = { atMs: at(first), ended: ended - rows };
  return new Pace([begun, { ...begun, ended: begun.ended + 1 }, { atMs: at(last), ended }]);
}

function rowsPerSecond(seen: readonly Moment[], nowMs: number): number {
  const from = seen.findLast(({ atMs }) => atMs <= nowMs - PACE_MS) ?? seen[0];
  const ended = (seen.at(-1)?.ended ?? 0) - (from?.ended ?? 0);
  return from === undefined || ended === 0 ? 0 : (ended * 1_000) / Math.max(1_000, nowMs - from.atMs);
}

/** Rows that must have ended before their pace says anything. */
const LEAST = 3;

/**
 * If no row has ended for this many times the usual gap between two, and for longer than ever, the pace predicts
 * nothing.
 */
const SILENT_GAPS = 5;
const LONGEST_GAPS = 1.5;

/**
 * Time left at the pace of the last minute, or of a longer time: at least twice as many rows must have ended in it as
 * are running. With fewer, the start, in which no row could end, would distort the pace: a batch of 18 s was said to
 * have an hour left. Never less than the rate of requests allows. Undefined before that, after rows have stopped
 * ending, and once it has run out.
 */
export function timeLeft(seen: readonly Moment[], nowMs: number, open: OpenRows): number | undefined {
  const { running, waiting, rate } = open;
  const [first, last] = [seen[0], seen.at(-1)];
  if (first === undefined || last === undefined) return undefined;
  if (last.ended - first.ended < Math.max(LEAST, (waiting > 0 ? 2 : 1) * running)) return undefined;
  // Not from the beginning, before the first ones could end, if more is known.
  const known = seen.length > 2 ? seen.slice(1) : seen;
  const isEnough = ({ atMs, ended }: Moment): boolean =>
    atMs <= nowMs - PACE_MS && last.ended - ended >= Math.max(LEAST, 2 * running);
  const begin = Math.max(0, known.findLastIndex(isEnough));
  const from = known[begin] ?? first;
  const ended = last.ended - from.ended;
  if (ended < LEAST) return undefined;
  const silentMs = nowMs - last.atMs;
  if (silentMs > (SILENT_GAPS * (nowMs - from.atMs)) / ended && silentMs > LONGEST_GAPS * longestGap(known, begin))
    return undefined;
  const remaining = ((last.atMs - from.atMs) / ended) * (running + waiting) - silentMs;
  if (remaining < 0) return undefined;
  return Math.max(remaining, rate === null ? 0 : (waiting / rate) * 1_000);
}

/** The longest time in which no row ended: jobs that take the same time end together. */
function longestGap(seen: readonly Moment[], begin: number): number {
  let longest = 0;
  for (let at = begin + 1; at < seen.length; at++)
    longest = Math.max(longest, (seen[at]?.atMs ?? 0) - (seen[at - 1]?.atMs ?? 0));
  return longest;
}

/**
 * A pace, or none while the API is silent or nobody works: the rows of the last minute do not tell when it goes on.
 * `isServed`: whether a worker lives. Default: true.
 */
export function paceWhile(
  { api, isServed = true }: { readonly api?: ApiHealth | undefined; readonly isServed?: boolean },
  pace: PaceView,
): PaceView {
  return api?.silence == null && isServed ? pace : { rowsPerSecond: 0, secondsLeft: null };
}

/**
 * Start of the current work on a batch, ms: its first request, or its last reopening, so that idle days in between do
 * not count. `first`: its first request ever. Undefined if work has not begun.
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
