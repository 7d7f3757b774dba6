import { viewMoney } from '../../client/status/counts-view.ts';
import { form, number, plural } from './words.ts';

type Money = Parameters<typeof viewMoney>[0];

/** Formats an amount: `1 credit`, `1,200 credits`. */
export function inCredits(value: number): string {
  return plural(value, 'credit');
}

/**
 * Describes a batch's money:
 * `about 120 charged (some prices are estimates), 10 reserved, 5 uncertain; 65 left of a budget of 200`.
 */
export function moneyWords(money: Money, budget: number | null): string {
  const { charged, reserved, uncertain, saved, isEstimate, budgetLeft: left } = viewMoney(money, budget);
  const sums = [
    isEstimate ? `about ${number(charged)} charged (some prices are estimates)` : `${number(charged)} charged`,
    `${number(reserved)} reserved`,
    `${number(uncertain)} uncertain`,
  ].join(', ');
  const free = saved === 0 ? '' : `, ${number(saved)} saved by earlier results`;
  const rest = budget === null || left === null ? '' : `; ${number(left)} left of a budget of ${number(budget)}`;
  return `${sums}${free}${rest}`;
}

/**
 * Returns a line about earlier results that were damaged, so that rows had to be paid for anew; none if there are none.
 */
export function damagedLines({ damaged }: Pick<Money, 'damaged'>): readonly string[] {
  if (damaged === 0) return [];
  const [were, them] = [form(damaged, 'was', 'were'), form(damaged, 'it', 'them')];
  return [
    `${plural(damaged, 'earlier result')} ${were} missing or altered, so the rows that would have used ${them} were paid for anew`,
  ];
}
