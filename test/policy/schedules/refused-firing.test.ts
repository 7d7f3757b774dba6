import { describe, expect, it } from '@jest/globals';
import { predictRefusal } from '../../../policy/schedules/refused-firing.ts';

const BILL = { quoted: 282, unpriced: 0, cheapest: 40, affordable: null };

const PAYS_NONE = 'does not cover even one row; the cheapest costs 40';
const NOT_CONFIRMED = 'for a confirmation, and nobody can be asked; raise it with --confirm';

describe('a firing', () => {
  it.each([
    [{ budget: null, confirmAbove: null }, null, undefined],
    [{ budget: 40, confirmAbove: 40 }, { credits: 40 }, undefined],
    [{ budget: 10, confirmAbove: null }, null, `the budget of 10 credits ${PAYS_NONE}`],
    [{ budget: 300, confirmAbove: 200 }, { credits: 10 }, `the budget of 10 credits a month ${PAYS_NONE}`],
    [{ budget: null, confirmAbove: 200 }, null, `the bill of 282 credits is above the limit of 200 ${NOT_CONFIRMED}`],
  ])('with %j in a month of %j is refused: %s', (limits, month, words) => {
    expect(predictRefusal({ bill: BILL, ...limits }, month)).toBe(words);
  });

  it('with a row without a price is refused by any budget, also that of the month', () => {
    const bill = { ...BILL, unpriced: 1 };
    const words = '1 row has no price, and a budget needs one';
    expect(predictRefusal({ bill, budget: 500, confirmAbove: null }, null)).toBe(words);
    expect(predictRefusal({ bill, budget: null, confirmAbove: null }, { credits: 500 })).toBe(words);
    expect(predictRefusal({ bill, budget: null, confirmAbove: null }, null)).toBeUndefined();
  });
});
