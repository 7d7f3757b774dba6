/**
 * A batch goes through its open rows in rounds; nearly always one. A round that brings nothing on (rows that are open for a reason
 * that no lane can do anything about) is followed by a pause, so that the batch never spins.
 */
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;

/** Pause after a round, ms. `before`, `after`: open rows. The first two rounds are never followed by one. */
export function roundPauseMs(round: number, before: number, after: number): number {
  if (after === 0 || after < before || round <= 2) return 0;
  return Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(10, round - 3));
}
