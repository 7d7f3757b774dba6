import { OUTCOMES, type Outcome } from '../../contract/outcomes.ts';
import type { Counts, Money } from '../../ledger/record-types.ts';
import { budgetLeft, isChargeEstimated } from '../../policy/money/budget.ts';

/** How rows ended: rows that were left out on purpose are separate from those that the budget skipped. */
export type EndWord = Outcome | 'not chosen';

/** The outcomes that any row has, with their rows. */
export function endsOf({ outcomes, notChosen }: Counts): readonly (readonly [EndWord, number])[] {
  const counted = { ...outcomes, skipped: outcomes.skipped - notChosen, 'not chosen': notChosen };
  return [...OUTCOMES, 'not chosen' as const].flatMap((word) => (counted[word] > 0 ? [[word, counted[word]]] : []));
}

/** Chosen rows that have ended. */
export function doneOf({ outcomes, notChosen }: Counts): number {
  return Object.values(outcomes).reduce((sum, count) => sum + count, 0) - notChosen;
}

/** Rows to run: all except those that `--limit` or `--sample` left out. */
export function chosenOf({ total, notChosen }: Counts): number {
  return total - notChosen;
}

/** Sums of a batch, and what is left of its budget; null without one. `isEstimate`: some of what was charged is ours. */
export function viewMoney(money: Money, budget: number | null) {
  return { ...money, isEstimate: isChargeEstimated(money), budget, budgetLeft: budgetLeft(money, budget) };
}
