/**
 * The last check before a paid request is sent: is the recorded intent fresh enough? A process that was stopped, or a
 * laptop that slept, may continue after its heartbeat timeout, when another worker may have settled the attempt. This
 * host's clock may have been set back, and the monotonic clock may stand still during sleep, so both must agree. The
 * ledger's clock does not help, because it is computed from the monotonic clock between readings.
 */

/** Max time between the synced intent and the send, ms; half the heartbeat timeout. */
export const SEND_WITHIN_MS = 5_000;

/** Readings of all clocks at one moment, ms. */
export interface Instant {
  /** The ledger's clock, as estimated by this process; ms since 1970. */
  readonly wall: number;
  /** This host's clock, uncorrected; ms since 1970. */
  readonly host: number;
  readonly monotonic: number;
}

/** Whether a request may still be sent. `intentAt`: when its intent (the record before the request) was made. */
export function maySend(intentAt: Instant, now: Instant): boolean {
  const host = now.host - intentAt.host;
  const monotonic = now.monotonic - intentAt.monotonic;
  return Math.max(Math.abs(host), monotonic) <= SEND_WITHIN_MS;
}
