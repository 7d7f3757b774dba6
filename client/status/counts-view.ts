import { OUTCOMES, RESULT_OUTCOMES, type Outcome } from '../../contract/outcomes.ts';
import type { Counts, Money } from '../../ledger/batches/counts.ts';
import { budgetLeft, isChargeEstimated } from '../../policy/money/budget.ts';

/**
 * How a row ended. Rows left out by `--limit` or `--sample` (`not chosen`) are distinct from rows skipped by the
 * budget.
 */
export type EndWord = Outcome | 'not chosen';

/** Lists the outcomes that occur, with their number of rows. */
export function endsOf({ outcomes, notChosen }: Counts): readonly (readonly [EndWord, number])[] {
  const counted = { ...outcomes, skipped: outcomes.skipped - notChosen, 'not chosen': notChosen };
  return [...OUTCOMES, 'not chosen' as const].flatMap((word) => (counted[word] > 0 ? [[word, counted[word]]] : []));
}

/** Counts the rows with the requested result. */
export function resultsOf({ outcomes }: Counts): number {
  return RESULT_OUTCOMES.reduce((sum, outcome) => sum + outcomes[outcome], 0);
}

/** Counts the chosen rows that have ended, with a result or without. */
export function endedOf({ outcomes, notChosen }: Counts): number {
  return Object.values(outcomes).reduce((sum, count) => sum + count, 0) - notChosen;
}

/** Counts the rows that have not ended: those in flight, and those that wait. */
export function openOf({ states }: Counts): { readonly running: number; readonly waiting: number } {
  const { submitting, processing, fetching, verifying, waiting, blocked } = states;
  return { running: submitting + processing + fetching + verifying, waiting: waiting + blocked };
}

/** Counts the rows to run: all except those left out by `--limit` or `--sample`. */
export function chosenOf({ total, notChosen }: Counts): number {
  return total - notChosen;
}

/**
 * Views a batch's sums and its remaining budget (null without one), in credits. `isEstimate`: some charges are
 * estimates.
 */
export function viewMoney(money: Money, budget: number | null) {
  return { ...money, isEstimate: isChargeEstimated(money), budget, budgetLeft: budgetLeft(money, budget) };
}
