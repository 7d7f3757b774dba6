import { describe, expect, it } from '@jest/globals';
import { leftBudgetRefusal } from '../../../starters/redrive/redrive-words.ts';

const FACTS = {
  rows: 1,
  bill: {
    quoted: 7,
    cheapest: 7,
    affordable: { rows: 0, quoted: 0 },
    unpriced: 0,
    unpricedRows: { count: 0, first: [] },
  },
  isEstimate: false,
  budgetNeeded: 21,
  budget: 0,
  balance: null,
  confirmAbove: null,
  yes: false,
  canAsk: false,
};

describe('a budget that is too small for another take', () => {
  it('is raised where it stands', () => {
    const words = leftBudgetRefusal('b', false)('small-budget', FACTS);
    expect(words).toMatch(/Raise it, then run the same command again: voxbatch tune b --budget 21$/);
  });

  it('is raised in the command that gives it, which would lower it again', () => {
    const words = leftBudgetRefusal('b', true)('small-budget', FACTS);
    expect(words).toMatch(/Nothing was spent\. Run the same command with --budget 21$/);
  });
});
