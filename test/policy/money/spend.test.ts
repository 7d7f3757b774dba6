import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { maxSpend, type SpendBill, type SpendFacts } from '../../../contract/spend.ts';
import { decideSpend, type SpendDecision } from '../../../policy/money/spend.ts';

const BILL: SpendBill = { quoted: 100, unpriced: 0, cheapest: 4, affordable: null };
const FACTS: SpendFacts = {
  rows: 10,
  bill: BILL,
  isEstimate: false,
  budget: null,
  balance: 1_000,
  confirmAbove: null,
  yes: false,
  canAsk: false,
};
const bill = (more: Partial<SpendBill>): Partial<SpendFacts> => ({ bill: { ...BILL, ...more } });
/** A budget that pays so many rows. */
const budget = (credits: number, rows: number, more: Partial<SpendBill> = {}): Partial<SpendFacts> => ({
  budget: credits,
  ...bill({ affordable: { rows, quoted: rows * 10 }, ...more }),
});
const refuse = (why: string): SpendDecision => ({ type: 'refuse', why, notes: [] }) as SpendDecision;
const go = (...notes: SpendDecision['notes']): SpendDecision => ({ type: 'go', notes });

describe('decideSpend', () => {
  it.each([
    ['what is paid for', {}, go()],
    ['a balance that is not known', { balance: null }, go()],
    ['a balance that just pays', { balance: 100 }, go()],
    ['a balance below the bill', { balance: 99 }, go('above-balance')],
    ['a balance of one row', { balance: 4 }, go('above-balance')],
    ['a balance below one row', { balance: 3.5 }, refuse('small-balance')],
    ['an empty account', { balance: 0 }, refuse('small-balance')],
    ['an empty account and free rows', { balance: 0, ...bill({ quoted: 0, cheapest: 0 }) }, go()],
    ['an empty account and unknown prices', { balance: 0, ...bill({ unpriced: 2 }) }, refuse('small-balance')],
    [
      'an empty account and only unknown prices',
      { balance: 0, ...bill({ quoted: 0, cheapest: null, unpriced: 10 }) },
      refuse('small-balance'),
    ],
    ['a debt and free rows', { balance: -1, ...bill({ quoted: 0, cheapest: 0 }) }, refuse('small-balance')],
    ['some credits and unknown prices', { balance: 1, ...bill({ unpriced: 2 }) }, go('above-balance')],
    ['a budget for all', budget(100, 10), go()],
    ['a budget for some', budget(40, 4), go('budget-pays-part')],
    ['a budget of one row', budget(4, 1), go('budget-pays-part')],
    ['a budget below one row', budget(3.5, 0), refuse('small-budget')],
    ['a budget and a row without a price', budget(100, 8, { unpriced: 2 }), refuse('unpriced')],
    ['a budget and rows without any price', budget(100, 0, { unpriced: 10, cheapest: null }), refuse('unpriced')],
    ['a budget, and nothing to pay', budget(100, 10, { cheapest: null }), go()],
    ['a budget that keeps the bill below the balance', { ...budget(50, 5), balance: 99 }, go('budget-pays-part')],
    ['a budget above the balance', { ...budget(50, 5), balance: 49 }, go('budget-pays-part', 'above-balance')],
    ['a small balance and --yes', { balance: 3, yes: true }, refuse('small-balance')],
    ['a small budget and --yes', { ...budget(3, 0), yes: true }, refuse('small-budget')],
  ] as const)('%s', (_, more, decision) => expect(decideSpend({ ...FACTS, ...more })).toEqual(decision));

  it.each([
    ['at the threshold', { confirmAbove: 100 }, 'go'],
    ['above it, with a person', { confirmAbove: 99, canAsk: true }, 'ask'],
    ['above it, confirmed', { confirmAbove: 99, yes: true }, 'go'],
    ['above it, confirmed, with a person', { confirmAbove: 99, canAsk: true, yes: true }, 'go'],
    ['above it, with nobody', { confirmAbove: 99 }, 'refuse'],
    ['above it, bounded by the budget', { ...budget(40, 4), confirmAbove: 50 }, 'go'],
    ['above it, not bounded enough', { ...budget(60, 6), confirmAbove: 50 }, 'refuse'],
    ['of unknown prices', { confirmAbove: 1_000, ...bill({ unpriced: 2 }) }, 'refuse'],
    ['without a threshold', { confirmAbove: null, canAsk: true }, 'go'],
  ] as const)('a bill %s', (_, more, what) => {
    const decision = decideSpend({ ...FACTS, ...more });
    expect(decision.type).toBe(what);
    if (decision.type === 'refuse') expect(decision.why).toBe('unconfirmed');
  });

  it('notes what is to be known before it asks, and before it refuses for want of a word', () => {
    expect(decideSpend({ ...FACTS, balance: 60, confirmAbove: 50, canAsk: true }).notes).toEqual(['above-balance']);
    expect(decideSpend({ ...FACTS, balance: 60, confirmAbove: 50 }).notes).toEqual(['above-balance']);
  });

  it('never spends above the threshold without a word, nor under a budget without prices', () => {
    const credits = fc.nat(200);
    const facts = fc.record({
      rows: fc.nat(20),
      bill: fc.record({
        quoted: credits,
        unpriced: fc.nat(2),
        cheapest: fc.option(credits),
        affordable: fc.option(fc.record({ rows: fc.nat(20), quoted: credits })),
      }),
      isEstimate: fc.boolean(),
      budget: fc.option(credits),
      balance: fc.option(fc.integer({ min: -10, max: 200 })),
      confirmAbove: fc.option(credits),
      yes: fc.boolean(),
      canAsk: fc.boolean(),
    });
    fc.assert(
      fc.property(facts, (given) => {
        const { type: what } = decideSpend(given);
        if (what === 'refuse') return;
        expect(given.budget === null || given.bill.unpriced === 0).toBe(true);
        if (what === 'ask') expect(given.canAsk && !given.yes).toBe(true);
        else if (given.confirmAbove !== null && !given.yes) {
          expect(maxSpend(given)).toBeLessThanOrEqual(given.confirmAbove);
          expect(given.bill.unpriced).toBe(0);
        }
      }),
    );
  });
});

it('is bounded by the budget, what priced rows can cost', () => {
  expect(maxSpend({ bill: BILL, budget: null })).toBe(100);
  expect(maxSpend({ bill: BILL, budget: 40 })).toBe(40);
  expect(maxSpend({ bill: BILL, budget: 400 })).toBe(100);
});
