/** Max difference between the API's clock and ours, ms. Beyond it, the API's times say nothing about our jobs. */
export const API_CLOCK_SLACK_MS = 60_000;

/** Max difference between the clocks of workers, ms. */
export const WORKER_CLOCK_SLACK_MS = 5_000;

/** A difference between two clocks of up to this, plus half the reading's duration, is noise, ms. */
const READING_SLACK_MS = 10;

/** How far one clock was seen to be ahead of another, ms. */
export interface ClockReading {
  readonly aheadMs: number;
  /** How long the reading took. It is off by half of that at most. */
  readonly tripMs: number;
}

/**
 * How far a clock is ahead after another reading, ms. Keeps the known value if the new one differs by no more than the
 * reading's error.
 */
export function updateClockOffset(knownMs: number, { aheadMs, tripMs }: ClockReading): number {
  return Math.abs(aheadMs - knownMs) > tripMs / 2 + READING_SLACK_MS ? aheadMs : knownMs;
}
