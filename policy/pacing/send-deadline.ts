/**
 * The last check before a paid request goes out: is the work still ours? A worker that was stopped, or a laptop that
 * slept, may come back after its heartbeat timeout, when others may have settled the work. Either clock can mislead:
 * this host's can be set back, the monotonic clock may stand still during sleep. So both must agree. The ledger's clock
 * is no witness: it is read over the network and runs by the monotonic one in between.
 */

/** Max time between the synced intent and the send, ms; half the heartbeat timeout. */
export const SEND_WITHIN_MS = 5_000;

/** The clocks at one moment, ms. */
export interface Instant {
  /** The ledger's clock, as far as it is known here. */
  readonly wall: number;
  /** This host's own clock, which nobody corrects. */
  readonly host: number;
  readonly monotonic: number;
}

export function maySend(intentAt: Instant, now: Instant): boolean {
  const host = now.host - intentAt.host;
  const monotonic = now.monotonic - intentAt.monotonic;
  return Math.max(Math.abs(host), monotonic) <= SEND_WITHIN_MS;
}
