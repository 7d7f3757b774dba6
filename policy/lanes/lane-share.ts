import { type BatchLimits, DEFAULT_TUNABLES } from '../../contract/tunables.ts';

/**
 * How a batch is divided among workers. A lane is one worker process's share of the batch's rows and limits; the batch
 * workflow offers as many lanes as {@link lanesFor} says, and each lane claims rows from the ledger.
 */

/** Rows that justify one more lane. */
const ROWS_A_LANE = 50;

/**
 * Returns the number of lanes for a batch: one per worker process (four in one process were slower than one), and no
 * more than its open rows justify.
 */
export function lanesFor(openRows: number, workers: number): number {
  return Math.max(1, Math.min(workers, Math.ceil(openRows / ROWS_A_LANE)));
}

/** A lane and the worker process that has it. */
export interface OwnedLane {
  readonly lane: number;
  readonly owner: string;
}

/** Whether any worker has no lane of the batch. */
export function hasWorkerWithoutLane(workers: readonly string[], lanes: readonly OwnedLane[]): boolean {
  return workers.some((worker) => lanes.every(({ owner }) => owner !== worker));
}

/** Whether a process should give up this lane to a worker without one: it has several, and this is its last. */
export function shouldYieldLane(
  { lane, owner }: OwnedLane,
  workers: readonly string[],
  lanes: readonly OwnedLane[],
): boolean {
  const own = lanes.filter((one) => one.owner === owner).map((one) => one.lane);
  return own.length > 1 && lane === Math.max(...own) && hasWorkerWithoutLane(workers, lanes);
}

/** Returns a lane's share of the max rows in flight, rounded up so that every lane gets at least one. */
export function laneWindow({ window }: Pick<BatchLimits, 'window'>, lanes: number): number {
  return Math.max(1, Math.ceil(window / lanes));
}

/** A lane with a small window still keeps this many claimed rows queued. */
const MIN_AHEAD = 50;
/** A lane with a large window keeps no more than this many claimed rows queued. */
const MAX_AHEAD = 200;

/**
 * Returns how many new rows a lane claims next; 0 if it has enough. `window`: its max rows in flight; `ahead`: claimed
 * rows that have not begun. It keeps a quarter of the window queued, so that no request waits for a claim, and claims
 * enough at once to be worth a commit. Queued rows cost nothing if the lane is lost.
 */
export function claimSize(window: number, ahead: number): number {
  const wanted = Math.max(MIN_AHEAD, Math.min(MAX_AHEAD, Math.ceil(window / 4)));
  return ahead < wanted ? 2 * wanted - ahead : 0;
}

/** Returns how many unsent rows each lane may hold, so that no lane is left without work. */
export function fairShare(unsent: number, workers: number): number {
  return Math.ceil(unsent / lanesFor(unsent, workers));
}

/** Returning fewer rows is not worth a commit. */
const MIN_RETURNED = 5;

/**
 * Returns how many unsent rows a lane gives back to the ledger when no row is free for the other lanes. `held`: its
 * unsent rows; `share`: its {@link fairShare}. An excess below a quarter of the share stays, so that rows do not move
 * back and forth.
 */
export function rowsToReturn(held: number, share: number): number {
  const extra = held - share;
  return extra >= Math.max(MIN_RETURNED, share / 4) ? extra : 0;
}

/** At most one in this many requests of a small batch is in flight. */
const SUBMITS_DIVISOR = 4;
/** With only one in flight, a slow first answer would hold up everything. */
const MIN_SUBMITS = 2;

/**
 * Returns the default max paid requests in flight: a crash leaves at most a quarter of a small batch in doubt.
 * `requests`: min number of requests of the batch, counting rows and parts of rows.
 */
export function defaultSubmits(requests: number): number {
  const submits = Math.max(MIN_SUBMITS, Math.ceil(requests / SUBMITS_DIVISOR));
  return Math.min(DEFAULT_TUNABLES.limits.submits, submits);
}

/**
 * First and longest pause between rounds of lanes without progress, ms. Usually one round ends all rows; the pauses
 * keep the workflow from spinning over rows that are open for a reason that no lane can resolve.
 */
const FIRST_PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 60_000;

/**
 * Returns the pause after a round, ms. `idle`: consecutive rounds without progress. After the first there is no pause,
 * because a late answer can cause it.
 */
export function roundPauseMs(idle: number): number {
  return idle < 2 ? 0 : Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(10, idle - 2));
}

/** First and longest pause between checks of a batch that no lane can work on, ms. */
const FIRST_RECHECK_MS = 15_000;
const MAX_RECHECK_MS = 600_000;

/**
 * Returns the pause before the next check of a batch that no lane can work on, ms: longer each time, because it may be
 * paused for days. `checks`: consecutive checks without change.
 */
export function recheckPauseMs(checks: number): number {
  return Math.min(MAX_RECHECK_MS, FIRST_RECHECK_MS * 2 ** Math.min(10, checks));
}
