/**
 * How a batch's limits are shared out among its lanes. A lane is one share of the rows in flight; it needs no talk with
 * the others, and the shares add up to no more than the limit, lane by lane rounded up where a lane would get nothing.
 */
export interface LaneShare {
  /** Rows in flight in this lane. */
  readonly window: number;
  /**
   * Submit activities of this lane at once. Twice its share of the requests on the wire, so that the wire is never idle
   * while Temporal hands out work; the ledger holds the exact bound.
   */
  readonly submits: number;
}

export function shareOf(limits: { readonly window: number; readonly submits: number }, lanes: number): LaneShare {
  return {
    window: Math.max(1, Math.ceil(limits.window / lanes)),
    submits: Math.max(1, Math.ceil((2 * limits.submits) / lanes)),
  };
}

/** Lanes for a batch: one for a handful of rows, at most four; more bring nothing on one worker. */
export function lanesFor(rows: number): number {
  return Math.max(1, Math.min(4, Math.ceil(rows / 50)));
}

/**
 * Rows to claim next, never beyond the window. `inChunks`: only so many that they are worth a round trip, where the room grows
 * by itself; otherwise also the last one.
 */
export function claimSize(window: number, inFlight: number, inChunks: boolean): number {
  const room = window - inFlight;
  const chunk = Math.max(1, Math.min(50, Math.ceil(window / 4)));
  return room >= (inChunks ? chunk : 1) ? Math.min(room, 2 * chunk) : 0;
}
