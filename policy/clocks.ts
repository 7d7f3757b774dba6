/**
 * How far clocks may disagree. Times come from three places: the API, the workers, and the ledger's database, whose
 * clock is the reference for all workers (`activities/ledger-clock.ts` measures its offset from this host's clock).
 */

/** Assumed max difference between the API's clock and ours, ms: a job that seems older than its request is not ours. */
export const API_CLOCK_SLACK_MS = 60_000;

/** Assumed max difference between the clocks of two workers, ms. */
export const WORKER_CLOCK_SLACK_MS = 5_000;

/** Measurement noise of a reading, beside the uncertainty from its round trip, ms. */
const READING_SLACK_MS = 10;

/** A measurement of how far another clock is ahead of ours. */
export interface ClockReading {
  /** The other clock minus ours, ms; negative if it is behind. */
  readonly aheadMs: number;
  /** Duration of the request that read the other clock, ms. The measurement is off by half of it at most. */
  readonly tripMs: number;
}

/**
 * Returns the clock offset (ms) after a new reading. `knownMs`: the offset so far, which is kept if the reading differs
 * from it by no more than the error of the measurement, so that the corrected time does not jitter.
 */
export function updateClockOffset(knownMs: number, { aheadMs, tripMs }: ClockReading): number {
  const errorMs = tripMs / 2 + READING_SLACK_MS;
  return Math.abs(aheadMs - knownMs) > errorMs ? aheadMs : knownMs;
}
