import { describe, expect, it } from '@jest/globals';
import type { SpendNote, SpendRefusal } from '../../../contract/spend.ts';
import { approve } from '../../../client/person.ts';
import { personAt } from '../../../starters/person.ts';
import {
  spendError,
  noteText,
  questionText,
  refusalText,
  type RefusalFacts,
} from '../../../starters/terminal/spend-words.ts';
import { capture } from '../command-line.ts';

const NONE = { count: 0, first: [] };
const BILL: RefusalFacts['bill'] = { quoted: 100, unpriced: 0, unpricedRows: NONE, cheapest: 4, affordable: null };
const FACTS: RefusalFacts = {
  rows: 10,
  bill: BILL,
  isEstimate: false,
  budget: null,
  balance: 1_000,
  confirmAbove: null,
  yes: false,
  canAsk: false,
};
const UNPRICED = {
  unpriced: 2,
  unpricedRows: {
    count: 7,
    first: [
      { line: 3, id: 'b', why: 'unknown length' },
      { line: 9, id: 'h\u001b[31m', why: 'the audio answers 404' },
    ],
  },
};
const budget = (credits: number, rows: number, more: Partial<RefusalFacts['bill']> = {}): Partial<RefusalFacts> => ({
  budget: credits,
  bill: { ...BILL, affordable: { rows, quoted: rows * 10 }, ...more },
});
const noted = (note: SpendNote, more: Partial<RefusalFacts>): string => noteText(note, { ...FACTS, ...more });
const whyNot = (why: SpendRefusal, more: Partial<RefusalFacts>): string => refusalText(why, { ...FACTS, ...more });

describe('the words of a decision', () => {
  it('name rows without a price and the three cures', () => {
    expect(whyNot('unpriced', budget(50, 3, UNPRICED)).split('\n')).toEqual([
      'A budget needs a price for every row; 2 rows of 10 have none:',
      '  line 3, id b: unknown length',
      '  line 9, id h [31m: the audio answers 404',
      '  and 5 more',
      'Nothing was sent. Nothing was spent. Give them one with any of:',
      expect.stringContaining('duration'),
      expect.stringContaining('--probe'),
      expect.stringContaining('--assume-seconds'),
    ]);
  });

  it.each([
    [
      'small-budget',
      budget(3.5, 0),
      /3\.5 credits is too small for any row: the cheapest costs 4, all cost 100\. .* 4 or/,
    ],
    [
      'small-balance',
      { balance: 3 },
      /^Not enough .* has 3 API credits; the cheapest row costs 4, all cost 100\. [^(]*$/,
    ],
    ['small-balance', { balance: 3, isEstimate: true }, /Prices are estimates/],
    [
      'small-balance',
      { balance: 0, bill: { ...BILL, ...UNPRICED } },
      /^Not enough credits: the account has 0 API credits\. /,
    ],
    ['unconfirmed', { confirmAbove: 50 }, /^Not confirmed: 100 credits for 10 rows is more than 50 .*--yes/],
  ] as const)('say why it is %s, case %#', (why, more, words) => expect(whyNot(why, more)).toMatch(words));

  it.each([
    [
      'budget-pays-part',
      budget(40, 4),
      /of 40 credits pays for about 4 of 10 rows, which cost 100; .*\(exit code 12\)/,
    ],
    [
      'budget-pays-part',
      { ...budget(50, 5), isBudgetLeft: true },
      /^What is left of the budget, 50 credits, pays for abou/,
    ],
    [
      'above-balance',
      { balance: 99, isEstimate: true },
      /^WARNING: this may cost about 100 credits; the account has 99 API/,
    ],
  ] as const)('note %s, case %#', (note, more, words) => expect(noted(note, more)).toMatch(words));

  it('ask for the sum, and say what is uncertain about it', () => {
    expect(questionText({ ...FACTS, isEstimate: true, bill: { ...BILL, ...UNPRICED } })).toBe(
      'Spend about 100 credits and the unknown price of 2 rows for 10 rows?',
    );
  });
});

describe('a bill at a terminal', () => {
  const ASKING = { ...FACTS, confirmAbove: 50, canAsk: true, balance: 60 };
  const check = async (
    facts: RefusalFacts,
    answer?: boolean,
  ): Promise<{ ended: unknown; asked: readonly string[]; said: string }> => {
    const lines = { out: '', err: '' };
    const asked: string[] = [];
    const ask = (question: string): Promise<boolean> => {
      asked.push(question);
      return Promise.resolve(answer === true);
    };
    const person = personAt({ ...capture(lines), isInteractive: facts.canAsk }, facts, '', ask);
    const refused = await approve(facts, person);
    const ended = refused === undefined ? 'goes on' : spendError(refused).exit;
    expect(lines.out).toBe('');
    return { ended, asked, said: lines.err };
  };

  it('goes on after a yes, with the warnings said before', async () => {
    const { ended, asked, said } = await check(ASKING, true);
    expect({ ended, asked }).toEqual({ ended: 'goes on', asked: ['Spend 100 credits for 10 rows?'] });
    expect(said).toMatch(/^WARNING: /);
  });

  it('is refused after a no', async () => {
    expect(await check(ASKING, false)).toMatchObject({ ended: 'refused', asked: [expect.anything()] });
  });

  it('asks nothing where nothing is to be confirmed, or nobody is there', async () => {
    expect(await check({ ...ASKING, yes: true })).toMatchObject({ ended: 'goes on', asked: [] });
    expect(await check({ ...ASKING, canAsk: false })).toMatchObject({ ended: 'refused', asked: [] });
  });
});
