import { describe, expect, it, jest } from '@jest/globals';
import { NOBODY, personOf, type SpendQuestion, approve } from '../../../client/person.ts';
import type { SpendFacts } from '../../../contract/spend.ts';

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
const saying = (isPaid: boolean): ReturnType<typeof personOf> => personOf(() => Promise.resolve(isPaid));

describe('a bill', () => {
  it('below the threshold is paid, and nobody is asked', async () => {
    const confirm = jest.fn(() => false);
    expect(await approve(FACTS, personOf(confirm))).toBeUndefined();
    expect(confirm).not.toHaveBeenCalled();
  });

  it('above it is paid or not as confirm says', async () => {
    const below20 = personOf<SpendFacts>(({ bill }) => bill.quoted < 20);
    expect(await approve(DEAR, saying(true))).toBeUndefined();
    expect(await approve(DEAR, below20)).toEqual({ type: 'declined', facts: DEAR });
  });

  it('above it is refused where nobody is there to be asked', async () => {
    const facts = { ...DEAR, canAsk: false };
    expect(await approve(facts, NOBODY)).toEqual({ type: 'refused', why: 'unconfirmed', facts });
  });

  it('with a doubt is asked about, and paid where nobody is there: the doubt was asked for', async () => {
    expect(await approve(FACTS, saying(false), true)).toEqual({ type: 'declined', facts: FACTS });
    expect(await approve({ ...FACTS, canAsk: false }, NOBODY, true)).toBeUndefined();
  });

  it('above it and with a doubt is one question about both; who has agreed is not asked', async () => {
    const asked: SpendQuestion[] = [];
    const confirm = (question: SpendQuestion): boolean => {
      asked.push(question);
      return true;
    };
    expect(await approve(DEAR, { yes: false, canAsk: true, confirm }, true)).toBeUndefined();
    expect(asked).toEqual([{ facts: DEAR, about: ['bill', 'doubts'] }]);
    expect(await approve({ ...DEAR, yes: true }, { yes: true, canAsk: true, confirm }, true)).toBeUndefined();
    expect(asked).toHaveLength(1);
  });

  it('is noted where it may be paid, and still does not fit budget or balance', async () => {
    const note = jest.fn();
    const facts = { ...FACTS, balance: 15 };
    expect(await approve(facts, { ...NOBODY, note })).toBeUndefined();
    expect(note.mock.calls).toEqual([['above-balance', facts]]);
  });
});
