/**
 * How long before its time a call is granted its turn. Meanwhile its intent is recorded, which takes as long as the
 * ledger takes: a few ms on one machine, more over a network and beside other workers. Under a limit of N calls in any
 * trailing second, a call that goes late delays the N-th call after it as well, and so on: records that take 70 ms
 * would cost 7 % of the rate, for good.
 *
 * So the lead follows what was seen, up quickly and down slowly: about one in twelve is late. A long lead has a price:
 * recorded requests that are not sent yet occupy the limit of requests in flight, and a kill leaves them in doubt.
 */
export const LEAST_LEAD_MS = 12;
/** Longer than this, a pause or a new share would come too late for calls that have their turn. */
const MOST_LEAD_MS = 250;
const UP_MS = 6;
const DOWN_MS = 0.5;

/** The lead after one more intent, which took this long to be on record. */
export function leadAfter(leadMs: number, tookMs: number): number {
  return tookMs > leadMs ? Math.min(MOST_LEAD_MS, leadMs + UP_MS) : Math.max(LEAST_LEAD_MS, leadMs - DOWN_MS);
}

/** The lead after the limit of requests in flight had no room: waiting recorded requests may be what fills it. */
export function leadWhenFull(leadMs: number): number {
  return Math.max(LEAST_LEAD_MS, leadMs / 2);
}
