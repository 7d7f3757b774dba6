import type { Money } from '../../ledger/record-types.ts';
import { budgetLeft, isChargeEstimated } from '../../policy/money/budget.ts';

/** Sums of a batch, and what is left of its budget; null without one. `isEstimate`: some of what was charged is ours. */
export function viewMoney(money: Money, budget: number | null) {
  return { ...money, isEstimate: isChargeEstimated(money), budget, budgetLeft: budgetLeft(money, budget) };
}
