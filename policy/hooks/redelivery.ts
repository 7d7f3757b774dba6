/** Retry schedule of hook notices (`--on-end`, `--notify`). */

/** Pauses after failed deliveries, ms; the last one repeats. */
const PAUSES_MS = [1_000, 5_000, 30_000, 120_000, 600_000, 1_800_000] as const;
/** A notice is abandoned this long after it was created, ms. */
const GIVE_UP_MS = 24 * 3_600_000;
/** Relative jitter of a pause, so that a recovering receiver does not get all notices at once. */
const JITTER = 0.2;

/**
 * Returns when to redeliver a notice after a failed delivery, ms; null to abandon it. `tries`: deliveries so far;
 * `madeAt`: when the notice was created; `now`: both in ms on one clock; `random`: from 0 to 1.
 */
export function redeliverAt(tries: number, madeAt: number, now: number, random: number): number | null {
  const pause = PAUSES_MS[Math.min(Math.max(tries, 1), PAUSES_MS.length) - 1] ?? 0;
  const at = now + Math.round(pause * (1 + JITTER * (2 * random - 1)));
  return at - madeAt > GIVE_UP_MS ? null : at;
}
