import type { DecisionRecord } from '../../ledger/record-types.ts';

/** What a person last decided about the request of a take: which result of the row is its own says nothing about that. */
export function lastDecision(
  decisions: readonly DecisionRecord[],
  take: number | undefined,
): DecisionRecord | undefined {
  return decisions.findLast((one) => one.take === take && one.what !== 'went-back');
}
