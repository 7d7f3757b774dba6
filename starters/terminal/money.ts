import type { Money } from '../../ledger/record-types.ts';
import { number } from './progress.ts';

/** `120 charged (partly estimated), 10 reserved, 5 uncertain; 65 left of a budget of 200` */
export function moneyWords(money: Money, budget: number | null): string {
  const sums = [
    `${number(money.charged)} charged${money.estimated ? ' (partly estimated)' : ''}`,
    `${number(money.reserved)} reserved`,
    `${number(money.uncertain)} uncertain`,
  ].join(', ');
  const left = budgetLeft(money, budget);
  return budget === null || left === null ? sums : `${sums}; ${number(left)} left of a budget of ${number(budget)}`;
}

/** Credits that may still be spent; never below 0. Null without a budget. */
export function budgetLeft({ charged, reserved, uncertain }: Money, budget: number | null): number | null {
  if (budget === null) return null;
  // Sums of binary fractions: what is less than a millionth is none.
  return Math.max(0, Math.round((budget - charged - reserved - uncertain) * 1e6) / 1e6);
}

/** Budget and what is left of it, for machines. */
export function budgetJson(
  money: Money,
  budget: number | null,
): { readonly budget: number | null; readonly budget_left: number | null } {
  return { budget, budget_left: budgetLeft(money, budget) };
}
