import type { MonthBudget } from './month-budget.ts';
import { maxSpend, type SpendFacts, type SpendRefusal } from '../../contract/spend.ts';
import { decideSpend } from '../money/spend.ts';

/** Why a schedule's firing may not pay: at the firing itself, or as a forecast when the schedule is set or listed. */

/** Facts that decide whether a firing may pay, and that its reason quotes. In credits. */
type FiringFacts = Pick<SpendFacts, 'bill' | 'budget' | 'balance' | 'confirmAbove'>;

/** Puts a refusal into words, with figures: a clause in lower case, without a full stop. */
export function describeRefusal(why: SpendRefusal, facts: FiringFacts): string {
  const { bill, budget, balance, confirmAbove } = facts;
  const cheapest = bill.cheapest === null ? '' : `; the cheapest costs ${String(bill.cheapest)}`;
  switch (why) {
    case 'unpriced':
      return `${rows(bill.unpriced)} no price, and a budget needs one`;
    case 'small-budget':
      return `the budget of ${String(budget)} credits does not cover even one row${cheapest}`;
    case 'small-balance':
      return `the account's balance of ${String(balance)} credits does not cover even one row${cheapest}`;
    case 'unconfirmed': {
      const more = bill.unpriced === 0 ? '' : ` (${rows(bill.unpriced)} no price)`;
      return `the bill of ${String(maxSpend(facts))} credits${more} is above the limit of ${String(confirmAbove)} for a confirmation, and nobody can be asked; raise it with --confirm`;
    }
  }
}

/**
 * Returns why the next firing would be refused if the manifest does not change; undefined if it would not be. It
 * assumes the full budget of the month and enough credits, because the remaining ones at that time are unknown.
 */
export function predictRefusal(
  facts: Pick<SpendFacts, 'bill' | 'budget' | 'confirmAbove'>,
  month: Pick<MonthBudget, 'credits'> | null,
): string | undefined {
  const { bill, budget } = facts;
  if (month !== null && bill.cheapest !== null && bill.cheapest > month.credits) {
    return `the budget of ${String(month.credits)} credits a month does not cover even one row; the cheapest costs ${String(bill.cheapest)}`;
  }
  const max = month === null ? budget : Math.min(budget ?? month.credits, month.credits);
  const known = { ...facts, budget: max, balance: null };
  const spend = decideSpend({ ...known, rows: 0, isEstimate: false, yes: false, canAsk: false });
  return spend.type === 'refuse' ? describeRefusal(spend.why, known) : undefined;
}

function rows(count: number): string {
  return count === 1 ? '1 row has' : `${String(count)} rows have`;
}
