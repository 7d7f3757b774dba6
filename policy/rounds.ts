/**
 * Lanes of a batch work until no row is open; nearly always in one round. Rounds that bring nothing on (rows that are open for a reason
 * that no lane can do anything about) are followed by ever longer pauses, so that the batch never spins.
 */
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;

/** Pause after a round, ms. `idle`: rounds in a row that brought nothing on; the first is forgiven, for a late answer can cause it. */
export function roundPauseMs(idle: number): number {
  return idle < 2 ? 0 : Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(10, idle - 2));
}

const FIRST_ASK_MS = 15_000;
const LONGEST_ASK_MS = 600_000;

/**
 * How long a batch that no lane can do anything for is left alone before somebody looks at it again, ms: longer each time, for it may be
 * paused for days. `asked`: looks in a row that brought nothing.
 */
export function askPauseMs(asked: number): number {
  return Math.min(LONGEST_ASK_MS, FIRST_ASK_MS * 2 ** Math.min(10, asked));
}
