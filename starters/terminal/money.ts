import type { Money } from '../../ledger/record-types.ts';
import { budgetLeft, isChargeEstimated } from '../../policy/budget.ts';
import { number } from './progress.ts';

/** `1 credit`, `1,200 credits`. */
export function inCredits(value: number): string {
  const amount = number(value);
  return `${amount} ${amount === '1' ? 'credit' : 'credits'}`;
}

/** `about 120 charged (some prices are estimates), 10 reserved, 5 uncertain; 65 left of a budget of 200` */
export function moneyWords(money: Money, budget: number | null): string {
  const sums = [
    isChargeEstimated(money)
      ? `about ${number(money.charged)} charged (some prices are estimates)`
      : `${number(money.charged)} charged`,
    `${number(money.reserved)} reserved`,
    `${number(money.uncertain)} uncertain`,
  ].join(', ');
  const left = budgetLeft(money, budget);
  return budget === null || left === null ? sums : `${sums}; ${number(left)} left of a budget of ${number(budget)}`;
}

/** Budget and what is left of it, for machines. */
export function budgetJson(
  money: Money,
  budget: number | null,
): { readonly budget: number | null; readonly budget_left: number | null } {
  return { budget, budget_left: budgetLeft(money, budget) };
}
