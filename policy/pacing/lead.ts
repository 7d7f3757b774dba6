/**
 * The lead: how long before its slot a call is granted, so that its intent can be recorded in the meantime. Recording
 * takes a few ms on one machine, and more over a network or beside other workers. Without enough lead, calls go late;
 * and under a limit of N calls in any trailing second, a late call delays the N-th call after it too, and so on.
 * Records that take 70 ms would cost 7 % of the rate permanently.
 *
 * So the lead follows the measured times, up quickly and down slowly: about one in twelve calls is late. It is no
 * longer than needed, because recorded requests that are not sent yet use up the limit of requests in flight, and are
 * in doubt after a kill.
 */

/** Initial and shortest lead, ms. */
export const MIN_LEAD_MS = 12;
/** With a longer lead, a pause or a new share would come too late for granted calls. */
const MAX_LEAD_MS = 250;
/** Step up after a late record, ms. */
const UP_MS = 6;
/** Step down after a timely one, ms. */
const DOWN_MS = 0.5;

/** Returns the lead after one more record, ms. `tookMs`: how long recording took. */
export function leadAfter(leadMs: number, tookMs: number): number {
  return tookMs > leadMs ? Math.min(MAX_LEAD_MS, leadMs + UP_MS) : Math.max(MIN_LEAD_MS, leadMs - DOWN_MS);
}

/** Returns the lead after the limit of requests in flight was full, ms: recorded but unsent requests may fill it. */
export function leadWhenFull(leadMs: number): number {
  return Math.max(MIN_LEAD_MS, leadMs / 2);
}
