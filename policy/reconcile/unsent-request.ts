import type { RowAttempt } from '../../contract/batch.ts';
import { isLeftOut, type Outcome, type RowState } from '../../contract/outcomes.ts';
import { nextMove, type AttemptView, type RowView } from '../rows/row-machine.ts';

/** Which request of a row a restored ledger may lack. */

/** The part of a row that decides. */
export interface UnsentRow extends Omit<RowView, 'ended'> {
  /** Null while the row is open. */
  readonly outcome: Outcome | null;
  readonly state: RowState;
}

/**
 * Returns the request that a row needs next (or would need, had it not been skipped or cancelled) and that the ledger
 * has no record of. If the ledger was restored from a backup, the request may have been sent, so a person may name its
 * job. Undefined if the row needs something else first.
 */
export function unsentRequest(
  { outcome, state, ...row }: UnsentRow,
  attempts: readonly AttemptView[],
): RowAttempt | undefined {
  // A row that waits for its voice cannot run: it would end again with the row that makes the voice.
  if (state === 'blocked' || (outcome !== null && !isLeftOut(outcome))) return undefined;
  const next = nextMove({ ...row, ended: false }, attempts);
  return next.type === 'submit' ? next.at : undefined;
}
