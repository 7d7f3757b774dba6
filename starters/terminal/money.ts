import type { Money } from '../../ledger/record-types.ts';
import { budgetLeft, isChargeEstimated } from '../../policy/money/budget.ts';
import { number, plural } from './words.ts';

/** `1 credit`, `1,200 credits`. */
export function inCredits(value: number): string {
  return plural(value, 'credit');
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
  const saved = money.saved === 0 ? '' : `, ${number(money.saved)} saved by earlier results`;
  const left = budgetLeft(money, budget);
  const rest = budget === null || left === null ? '' : `; ${number(left)} left of a budget of ${number(budget)}`;
  return `${sums}${saved}${rest}`;
}

/** That earlier results were damaged, in a line of its own; none if none was. */
export function damagedLines({ damaged }: Pick<Money, 'damaged'>): readonly string[] {
  if (damaged === 0) return [];
  const files = damaged === 1 ? '1 earlier result was' : `${number(damaged)} earlier results were`;
  return [
    `${files} missing or altered, so the rows that would have used ${damaged === 1 ? 'it' : 'them'} were paid for anew`,
  ];
}

/** Budget and what is left of it, for machines. */
export function budgetJson(
  money: Money,
  budget: number | null,
): { readonly budget: number | null; readonly budget_left: number | null } {
  return { budget, budget_left: budgetLeft(money, budget) };
}
