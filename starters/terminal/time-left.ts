/** A moment of this session at which rows had ended; the first one is its beginning. */
export interface Moment {
  readonly atMs: number;
  readonly done: number;
}

/** The rows that have not ended. */
export interface OpenRows {
  readonly running: number;
  readonly waiting: number;
  /** Paid requests a second at most; null: no limit. */
  readonly rate: number | null;
}

/** Rows that must have ended before their pace says anything. */
const LEAST = 3;

/** If no row has ended for this many times the usual gap between two, the pace predicts nothing. */
const SILENT_GAPS = 5;

/**
 * Remaining time by the pace of the last rows that ended, counted down since. Those are twice as many as run: until so many have ended, the time in
 * which the first ones ran, and none could end, would count as theirs (a batch of 18 s was said to have an hour left). Never less than the rate of
 * requests allows. Undefined before that, after rows have stopped ending, and after it has run out.
 */
export function timeLeft(seen: readonly Moment[], nowMs: number, open: OpenRows): number | undefined {
  const { running, waiting, rate } = open;
  const [first, last] = [seen[0], seen.at(-1)];
  if (first === undefined || last === undefined) return undefined;
  if (last.done - first.done < Math.max(LEAST, (waiting > 0 ? 2 : 1) * running)) return undefined;
  // Not from the beginning, before the first ones could end, if more is known.
  const known = seen.length > 2 ? seen.slice(1) : seen;
  const from = known.findLast(({ done }) => last.done - done >= Math.max(LEAST, 2 * running)) ?? known[0] ?? first;
  const ended = last.done - from.done;
  if (ended < LEAST) return undefined;
  const silentMs = nowMs - last.atMs;
  if (silentMs > (SILENT_GAPS * (nowMs - from.atMs)) / ended) return undefined;
  const remaining = ((last.atMs - from.atMs) / ended) * (running + waiting) - silentMs;
  if (remaining < 0) return undefined;
  return Math.max(remaining, rate === null ? 0 : (waiting / rate) * 1_000);
}
