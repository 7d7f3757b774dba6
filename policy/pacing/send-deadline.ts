/**
 * The last check before a paid request goes out: is the work still ours? A worker that was stopped, or a laptop that
 * slept, may come back after its heartbeat timeout, when others may have settled the work. Either clock can mislead:
 * the wall clock can be set back, the monotonic clock may stand still during sleep. So both must agree.
 */

/** Max time between the synced intent and the send, ms; half the heartbeat timeout. */
export const SEND_WITHIN_MS = 5_000;

/** Both clocks at one moment, ms. */
export interface Instant {
  readonly wall: number;
  readonly monotonic: number;
}

export function maySend(intentAt: Instant, now: Instant): boolean {
  const wall = now.wall - intentAt.wall;
  const monotonic = now.monotonic - intentAt.monotonic;
  return Math.max(Math.abs(wall), monotonic) <= SEND_WITHIN_MS;
}
