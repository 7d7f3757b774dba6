import { describe, expect, it } from '@jest/globals';
import { decideSpend, type SpendDecision } from '../../../policy/money/spend.ts';
import { approve } from '../../../client/run/approval.ts';
import { personAt } from '../../../starters/person.ts';
import {
  spendError,
  noteText,
  questionText,
  refusalText,
  type TellableFacts,
} from '../../../starters/terminal/spend-words.ts';
import { capture } from '../command-line.ts';

const NONE = { count: 0, first: [] };
const BILL: TellableFacts['bill'] = { quoted: 100, unpriced: 0, unpricedRows: NONE, cheapest: 4, affordable: null };
const FACTS: TellableFacts = {
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
const budget = (credits: number, rows: number, more: Partial<TellableFacts['bill']> = {}): Partial<TellableFacts> => ({
  budget: credits,
  bill: { ...BILL, affordable: { rows, quoted: rows * 10 }, ...more },
});
/** The decision, in the words that a person meets. */
interface Told {
  readonly type: SpendDecision['type'];
  readonly notes: readonly string[];
  readonly question?: string;
  readonly why?: string;
}
const decide = (more: Partial<TellableFacts>): Told => {
  const facts = { ...FACTS, ...more };
  const decision = decideSpend(facts);
  const notes = decision.notes.map((note) => noteText(note, facts));
  if (decision.type === 'refuse') return { type: 'refuse', notes, why: refusalText(decision.why, facts) };
  return decision.type === 'ask' ? { type: 'ask', notes, question: questionText(facts) } : { type: 'go', notes };
};
const whyNot = (more: Partial<TellableFacts>): string => {
  const decision = decide(more);
  return decision.why ?? decision.type;
};

describe('the words of a decision', () => {
  it('lets a batch go that is paid for, without a word', () => {
    expect(decide({})).toEqual({ type: 'go', notes: [] });
    expect(decide({ balance: null })).toEqual({ type: 'go', notes: [] });
    expect(decide(budget(100, 10))).toEqual({ type: 'go', notes: [] });
  });

  describe('under a budget', () => {
    it('refuses rows without a price, names them and the three cures', () => {
      const why = whyNot(budget(50, 3, UNPRICED));
      expect(why.split('\n')).toEqual([
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

    it('refuses a budget that pays no row, and says which would', () => {
      const why = whyNot(budget(3.5, 0));
      expect(why).toMatch(/3\.5 credits is too small for any row: the cheapest costs 4, all cost 100\./);
      expect(why).toContain('--budget 4 or more');
      expect(whyNot(budget(4, 1))).toBe('go');
    });

    it('says what a smaller budget pays, and starts', () => {
      const { type: what, notes } = decide(budget(40, 4));
      expect({ what, notes: notes.length }).toEqual({ what: 'go', notes: 1 });
      expect(notes[0]).toMatch(
        /budget of 40 credits pays for about 4 of 10 rows, which cost 100; .*skipped \(exit code 12\)/,
      );
    });
  });

  describe('with a balance', () => {
    it('refuses one that cannot pay the cheapest row', () => {
      const why = whyNot({ balance: 3 });
      expect(why).toMatch(
        /^Not enough credits: the account has 3 API credits; the cheapest row costs 4, all cost 100\./,
      );
      expect(why).toContain('Nothing was sent. Nothing was spent.');
      expect(why).not.toContain('estimates');
      expect(whyNot({ balance: 3, isEstimate: true })).toContain('Prices are estimates');
      expect(whyNot({ balance: 4 })).toBe('go');
    });

    it('refuses an empty one also where prices are unknown, and does not guess that a row is too dear', () => {
      const bill = { ...BILL, ...UNPRICED };
      expect(whyNot({ balance: 0, bill })).toMatch(/^Not enough credits: the account has 0 API credits\. /);
      expect(whyNot({ balance: 1, bill })).toBe('go');
    });

    it('lets work that costs nothing go without credits', () => {
      expect(whyNot({ balance: 0, bill: { ...BILL, quoted: 0, cheapest: 0 } })).toBe('go');
    });

    it('warns of a bill above it, and starts', () => {
      const { type: what, notes } = decide({ balance: 99, isEstimate: true });
      expect({ what, notes: notes.length }).toEqual({ what: 'go', notes: 1 });
      expect(notes[0]).toMatch(/^WARNING: this may cost about 100 credits; the account has 99 API credits\. .*pauses/);
    });

    it('tells what is left of a budget from the whole of it', () => {
      const start = 'What is left of the budget, 50 credits, pays for about ';
      const left = decide({ ...budget(50, 5), isBudgetLeft: true });
      expect(left.notes).toEqual([expect.stringContaining(start)]);
    });

    it('does not warn where the budget keeps the bill below it', () => {
      expect(decide({ ...budget(50, 5), balance: 99 }).notes).toEqual([expect.stringContaining('The budget of 50')]);
    });
  });

  describe('with --confirm', () => {
    it.each([
      ['a bill at the threshold', { confirmAbove: 100 }, 'go'],
      ['a bill above it, on a terminal', { confirmAbove: 99, canAsk: true }, 'ask'],
      ['a bill above it and --yes', { confirmAbove: 99, canAsk: true, yes: true }, 'go'],
      ['a bill above it, nobody there, and --yes', { confirmAbove: 99, yes: true }, 'go'],
      ['a bill above it, nobody there', { confirmAbove: 99 }, 'refuse'],
      ['a bill above it that a budget bounds', { ...budget(40, 4), confirmAbove: 50 }, 'go'],
      ['a bill above it that a budget does not bound enough', { ...budget(60, 6), confirmAbove: 50 }, 'refuse'],
      ['rows without a price', { confirmAbove: 1_000, bill: { ...BILL, ...UNPRICED } }, 'refuse'],
      ['no threshold', { confirmAbove: null }, 'go'],
    ] as const)('%s: %j ends in %s', (_, more, what) => {
      expect(decide(more).type).toBe(what);
    });

    it('asks for the sum, and says what is uncertain about it', () => {
      const bill = { ...BILL, ...UNPRICED };
      expect(decide({ confirmAbove: 0, canAsk: true, isEstimate: true, bill })).toMatchObject({
        question: 'Spend about 100 credits and the unknown price of 2 rows for 10 rows?',
      });
      expect(whyNot({ confirmAbove: 50 })).toMatch(/^Not confirmed: 100 credits for 10 rows is more than 50 .*--yes/);
    });

    it('never lets --yes pass a budget or a balance that pays nothing', () => {
      expect(whyNot({ yes: true, balance: 3 })).toContain('Not enough credits');
      expect(whyNot({ yes: true, ...budget(3, 0) })).toContain('is too small for any row');
    });
  });
});

describe('a bill at a terminal', () => {
  const ASKING = { ...FACTS, confirmAbove: 50, canAsk: true, balance: 60 };
  const check = async (
    facts: TellableFacts,
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
