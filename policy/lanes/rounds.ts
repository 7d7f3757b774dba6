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
export function askPauseMs(asked: number): number {
  return Math.min(LONGEST_ASK_MS, FIRST_ASK_MS * 2 ** Math.min(10, asked));
}
