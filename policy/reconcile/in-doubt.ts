import type { AttemptState, Outcome } from '../../contract/outcomes.ts';

/** The part of a row that matters here. */
export interface DoubtfulRow {
  /** Null: it has not ended. */
  readonly outcome: Outcome | null;
}

/**
 * Whether something may still come to light about a row: it has not ended, its end waits for a decision or a job, or
 * nobody knows what became of a request of any of its takes. What is on record of such a row is needed to settle it, so
 * it is never removed.
 */
export function isInDoubt({ outcome }: DoubtfulRow, attempts: readonly { readonly state: AttemptState }[]): boolean {
  if (outcome === null || outcome === 'unknown' || outcome === 'overdue') return true;
  return attempts.some(({ state }) => state === 'sending' || state === 'unknown');
}
