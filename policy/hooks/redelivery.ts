/** Pauses before a notice is sent again, ms; the last one repeats. */
const PAUSES_MS = [1_000, 5_000, 30_000, 120_000, 600_000, 1_800_000] as const;
/** A notice that could not be delivered for this long is abandoned, ms. */
const GIVE_UP_MS = 24 * 3_600_000;
/** Relative jitter of a pause, so that a recovering receiver does not get everything at once. */
const JITTER = 0.2;

/**
 * When to redeliver a notice after a failed delivery, ms; null if never. `tries`: deliveries so far. `madeAt`, `now`:
 * ms on the same clock. `random`: from 0 to 1.
 */
export function redeliverAt(tries: number, madeAt: number, now: number, random: number): number | null {
  const pause = PAUSES_MS[Math.min(Math.max(tries, 1), PAUSES_MS.length) - 1] ?? 0;
  const at = now + Math.round(pause * (1 + JITTER * (2 * random - 1)));
  return at - madeAt > GIVE_UP_MS ? null : at;
}
