import { type BatchLimits, DEFAULT_TUNABLES } from '../../contract/tunables.ts';

/** The number of a batch's lanes, and each lane's share of the batch's limits. */

/** Rows that justify one more lane. */
const ROWS_A_LANE = 50;

/**
 * Lanes for a batch: one per worker process (four in one process were slower than one), and no more than there is work
 * for.
 */
export function lanesFor(openRows: number, workers: number): number {
  return Math.max(1, Math.min(workers, Math.ceil(openRows / ROWS_A_LANE)));
}

/** A lane and the worker process that has it. */
export interface OwnedLane {
  readonly lane: number;
  readonly owner: string;
}

/** True if a worker has no lane of the batch. */
export function hasWorkerWithoutLane(workers: readonly string[], lanes: readonly OwnedLane[]): boolean {
  return workers.some((worker) => lanes.every(({ owner }) => owner !== worker));
}

/** True for the lane that a process with several lanes gives up to a worker without one: its last. */
export function shouldYieldLane(
  { lane, owner }: OwnedLane,
  workers: readonly string[],
  lanes: readonly OwnedLane[],
): boolean {
  const own = lanes.filter((one) => one.owner === owner).map((one) => one.lane);
  return own.length > 1 && lane === Math.max(...own) && hasWorkerWithoutLane(workers, lanes);
}

/**
 * A lane's share of the rows that may be in flight. The shares add up to the limit, rounded up where a lane would get
 * nothing.
 */
export function laneWindow({ window }: Pick<BatchLimits, 'window'>, lanes: number): number {
  return Math.max(1, Math.ceil(window / lanes));
}

/** Min rows queued in a lane for a slot in the window; below that it claims more. */
const FEWEST_AHEAD = 50;
/** The most rows that one claim takes. */
const MOST_A_CLAIM = 200;

/**
 * How many new rows a lane claims next. It keeps a quarter of the window queued, so that the next request need not wait
 * for a claim, and claims enough at once to be worth a commit. Rows not yet begun cost nothing if the lane is lost.
 */
export function claimSize(window: number, ahead: number): number {
  const wanted = Math.max(FEWEST_AHEAD, Math.min(MOST_A_CLAIM, Math.ceil(window / 4)));
  return ahead < wanted ? 2 * wanted - ahead : 0;
}

/** Unsent rows of a batch that each of its lanes may hold, so that none is left without work. */
export function fairShare(unsent: number, workers: number): number {
  return Math.ceil(unsent / lanesFor(unsent, workers));
}

/** Fewer rows are not worth a commit. */
const FEWEST_HANDED_BACK = 5;

/**
 * How many of its unsent rows a lane hands back when none is free for the others. A quarter of its share more than that
 * is left alone: rows should not go back and forth.
 */
export function rowsToReturn(held: number, share: number): number {
  const extra = held - share;
  return extra >= Math.max(FEWEST_HANDED_BACK, share / 4) ? extra : 0;
}

/** In a small batch, one in this many requests may be in flight at once. */
const SHARE = 4;
/** The first answer may be slow. */
const LEAST = 2;

/**
 * Default max paid requests in flight: a crash leaves at most a quarter of a small batch in doubt. `requests`: the
 * batch's min number of requests, counting rows and parts of rows.
 */
export function defaultSubmits(requests: number): number {
  return Math.min(DEFAULT_TUNABLES.limits.submits, Math.max(LEAST, Math.ceil(requests / SHARE)));
}

/**
 * The lanes of a batch work until no row is open; nearly always in one round. Rounds without progress (rows that are
 * open for a reason that no lane can resolve) are followed by ever longer pauses, so that the batch never spins.
 */
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;

/**
 * Pause after a round, ms. `idle`: rounds in a row without progress; the first is forgiven, because a late answer can
 * cause it.
 */
export function roundPauseMs(idle: number): number {
  return idle < 2 ? 0 : Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(10, idle - 2));
}

const FIRST_ASK_MS = 15_000;
const LONGEST_ASK_MS = 600_000;

/**
 * How long to wait before checking again a batch that no lane can work on, ms: longer each time, because it may be
 * paused for days. `asked`: checks in a row without change.
 */
export function recheckPauseMs(asked: number): number {
  return Math.min(LONGEST_ASK_MS, FIRST_ASK_MS * 2 ** Math.min(10, asked));
}
