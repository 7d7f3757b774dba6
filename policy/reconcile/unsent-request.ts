import type { RowAttempt } from '../../contract/batch.ts';
import type { Outcome, RowState } from '../../contract/outcomes.ts';
import { nextMove, type AttemptView, type RowView } from '../rows/row-machine.ts';

/** Outcomes of rows that were not sent, as far as the ledger knows. */
const UNSENT: readonly Outcome[] = ['skipped', 'cancelled'];

/** Whether a row that ended so was not sent, as far as the ledger knows. */
export function isLeftOut(outcome: Outcome): boolean {
  return UNSENT.includes(outcome);
}

/** The part of a row that matters here. */
export interface UnsentRow extends Omit<RowView, 'ended'> {
  /** Null while the row is open. */
  readonly outcome: Outcome | null;
  readonly state: RowState;
}

/**
 * The request that a row needs next, or would need if it had not been left out, and that the ledger has no record of.
 * A ledger that was restored may lack it although it was sent, so a person may name its job. Undefined if the row
 * needs something else first.
 */
export function unsentRequest(
  { outcome, state, ...row }: UnsentRow,
  attempts: readonly AttemptView[],
): RowAttempt | undefined {
  // Without its voice a row is opened for nothing: it would end again with its maker, and the job not be fetched.
  if (state === 'blocked' || (outcome !== null && !isLeftOut(outcome))) return undefined;
  const next = nextMove({ ...row, ended: false }, attempts);
  return next.type === 'submit' ? next.at : undefined;
}
