import type { AttemptState, Outcome } from '../../contract/outcomes.ts';

/** Whether the fate of a row or a request is still open, so that its records must be kept. */

/** The part of a row that decides. */
export interface DoubtfulRow {
  /** Null while the row is open. */
  readonly outcome: Outcome | null;
}

/**
 * Whether a row is unsettled: it is open, its ending waits for a decision or a job, or the fate of a request of any of
 * its takes is unknown. The records of such a row are needed to settle it, so they are never removed.
 */
export function isInDoubt({ outcome }: DoubtfulRow, attempts: readonly { readonly state: AttemptState }[]): boolean {
  if (outcome === null || outcome === 'unknown' || outcome === 'overdue') return true;
  return attempts.some(isUnresolved);
}

/** Whether a request may have been accepted, and nobody knows. */
export function isUnresolved({ state }: { readonly state: AttemptState }): boolean {
  return state === 'sending' || state === 'unknown';
}
