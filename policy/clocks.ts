/** Max difference between the API's clock and ours, ms. Beyond it, the API's times say nothing about our jobs. */
export const API_CLOCK_SLACK_MS = 60_000;

/** Max difference between the clocks of workers, ms. */
export const WORKER_CLOCK_SLACK_MS = 5_000;

/** Beside half of a reading's duration, a difference up to this says nothing about two clocks, ms. */
const READING_SLACK_MS = 10;

/** How far one clock was seen to be ahead of another, ms. */
export interface ClockReading {
  readonly aheadMs: number;
  /** How long the reading took. It is off by half of that at most. */
  readonly tripMs: number;
}

/**
 * How far a clock is ahead, ms, once it was read again: as far as it was known to be before, if the reading may be off
 * by the difference.
 */
export function aheadAfter(knownMs: number, { aheadMs, tripMs }: ClockReading): number {
  return Math.abs(aheadMs - knownMs) > tripMs / 2 + READING_SLACK_MS ? aheadMs : knownMs;
}
