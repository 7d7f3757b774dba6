/**
 * Limits the CPU time of a thread to a share of the elapsed time, however much work arrives: once it has worked too
 * long, it must pause. Short bursts are allowed.
 */

/** The state of the limit. */
export interface Duty {
  /** Work in excess of the share so far, ms; never below 0. */
  readonly debtMs: number;
}

/** The state before any work. */
export const NO_DUTY: Duty = { debtMs: 0 };

/** Returns the state after a time span of `spanMs`, of which `workMs` were work. `share`: the limit, 0 to 1. */
export function recordWork({ debtMs }: Duty, share: number, spanMs: number, workMs: number): Duty {
  return { debtMs: Math.max(0, debtMs + workMs - share * spanMs) };
}

/** Returns how long the thread must pause now to work off its excess, ms; 0 if that is within `burstMs`. */
export function restMs({ debtMs }: Duty, share: number, burstMs: number): number {
  return debtMs <= burstMs ? 0 : debtMs / share;
}
