/**
 * Keeps the work of a thread below a share of the time, however much there is: once it has worked too long, it rests.
 * Short bursts are free.
 */
export interface Duty {
  /** Work beyond the share so far, ms; never below 0. */
  readonly debtMs: number;
}

export const NO_DUTY: Duty = { debtMs: 0 };

/** Accounts for a stretch of time, of which some was work. */
export function recordWork({ debtMs }: Duty, share: number, spanMs: number, workMs: number): Duty {
  return { debtMs: Math.max(0, debtMs + workMs - share * spanMs) };
}

/** How long the thread has to rest now, ms: 0 within the burst. After the rest the debt is paid. */
export function restMs({ debtMs }: Duty, share: number, burstMs: number): number {
  return debtMs <= burstMs ? 0 : debtMs / share;
}
