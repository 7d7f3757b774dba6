/**
 * The last look before a paid request goes out: is the work still ours? A worker that was stopped, or a laptop that
 * slept, comes back after its heartbeat time-out, when the work may have been settled without it. Either clock can lie:
 * the wall clock can be set back, the monotonic clock may stand still while a machine sleeps. So both must agree.
 */

/** At most this long between the synced intent and the send, ms; half the heartbeat time-out. */
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
