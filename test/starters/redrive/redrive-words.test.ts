import { describe, expect, it } from '@jest/globals';
import { leftBudgetRefusal, refusalLines } from '../../../starters/redrive/redrive-words.ts';

const MONEY = { charged: 14, reserved: 0, uncertain: 0, estimated: false, saved: 0, damaged: 0 };
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
  budget: 0,
  balance: null,
  confirmAbove: null,
  yes: false,
  canAsk: false,
};

describe('a budget that is too small for another take', () => {
  it('is raised where it stands', () => {
    const words = leftBudgetRefusal({ name: 'b' }, MONEY)('small-budget', FACTS);
    expect(words).toMatch(/Raise it, then run the same command again: voxbatch tune b --budget 21$/);
  });

  it('is raised in the command that gives it, which would lower it again', () => {
    const words = leftBudgetRefusal({ name: 'b' }, MONEY, { budget: 2 })('small-budget', FACTS);
    expect(words).toMatch(/Nothing was spent\. Run the same command with --budget 21$/);
  });
});

describe('rows that would be paid for while their job may still run', () => {
  const running = { why: 'running', step: 'speech' } as const;
  const linesFor = (...refused: Parameters<typeof refusalLines>[0]['refused']): string =>
    refusalLines({ refused, refusedFor: new Map([['running', refused.length]]), refusedParts: 0, count: 0 }, 'b', {
      command: 'voxbatch redrive b --rows a',
      isFile: false,
    }).join('\n');

  it('wait for it free', () => {
    const lines = linesFor({ row: 1, id: 'a', ...running });
    expect(lines).toContain('voxbatch redrive b --where outcome=overdue');
    expect(lines).not.toContain('--accept ');
  });

  it('have it fetched free where it is of a take that they left: no row is overdue then', () => {
    const lines = linesFor({ row: 1, id: 'a', ...running, leftTake: 2 }, { row: 7, id: 'b', ...running, leftTake: 3 });
    expect(lines).toContain(
      'a (row 1): the result of its speech job of take 2, which was accepted, has not been fetched',
    );
    expect(lines).toContain('voxbatch redrive b --accept a/2,b/3    fetches the result of that job, free');
    expect(lines).not.toContain('outcome=overdue');
  });
});
