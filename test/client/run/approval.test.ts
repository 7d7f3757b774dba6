import { describe, expect, it, jest } from '@jest/globals';
import { approve } from '../../../client/run/approval.ts';
import type { SpendFacts } from '../../../policy/money/spend.ts';

const FACTS: SpendFacts = {
  rows: 2,
  bill: { quoted: 20, unpriced: 0, cheapest: 10, affordable: null },
  isEstimate: false,
  budget: null,
  balance: null,
  confirmAbove: null,
  yes: false,
  canAsk: true,
};
const DEAR = { ...FACTS, confirmAbove: 19 };

describe('a bill', () => {
  it('below the threshold is paid, and nobody is asked', async () => {
    const confirm = jest.fn(() => false);
    expect(await approve(FACTS, confirm)).toBeUndefined();
    expect(confirm).not.toHaveBeenCalled();
  });

  it('above it is paid or not as confirm says', async () => {
    expect(await approve(DEAR, () => Promise.resolve(true))).toBeUndefined();
    expect(await approve(DEAR, ({ bill }) => bill.quoted < 20)).toEqual({ type: 'declined', facts: DEAR });
  });

  it('above it is refused where nobody is there to be asked', async () => {
    const facts = { ...DEAR, canAsk: false };
    expect(await approve(facts, undefined)).toEqual({ type: 'refused', why: 'unconfirmed', facts });
  });

  it('with a doubt is asked about, and paid where nobody is there: the doubt was asked for', async () => {
    expect(await approve(FACTS, () => false, true)).toEqual({ type: 'declined', facts: FACTS });
    expect(await approve(FACTS, undefined, true)).toBeUndefined();
  });
});
