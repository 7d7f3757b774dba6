import { describe, expect, it } from '@jest/globals';
import type { NotRedrivable } from '../../../client/redrive/redrive-options.ts';
import type { BatchRecord } from '../../../ledger/batches/batch-records.ts';
import { leftBudgetRefusal } from '../../../starters/terminal/spend-words.ts';
import { mismatchLines, notOpenedText, refusalLines, unusableText } from '../../../starters/redrive/refusal-words.ts';

type Mismatched = Extract<NotRedrivable, { type: 'mismatched' }>;

const file = (...first: Mismatched['first']): Mismatched =>
  ({ type: 'mismatched', first, count: first.length }) as unknown as Mismatched;

describe('a file whose rows cannot be redriven', () => {
  const newName = { line: 3, id: 'c3', type: 'new-name', got: 'name:Eva' } as const;

  it('names the voice that the batch made, where a row asks for it by name', () => {
    expect(mismatchLines(file({ ...newName, made: 'v-9' }), 'cast').join()).toContain(
      'names are looked up only when a batch is made (write v-9, the id of the voice of this name that the batch made)',
    );
    expect(mismatchLines(file(newName), 'cast').join()).toContain('(voxbatch voices list)');
  });

  it('is to be run as a new batch only where its rows are new', () => {
    const isNew = { line: 2, id: 'z', type: 'no-such-row', by: 'id' } as const;
    expect(unusableText(file(isNew), 'f.csv', 'cast')).toMatch(/Run them as a new batch\.$/);
    expect(unusableText(file(newName), 'f.csv', 'cast')).toBe(
      'f.csv has a row that cannot be redriven. Mend it in the file, then run the same command again.',
    );
  });
});

describe('rows that could not be opened', () => {
  const reading = { kind: null, defaults: {}, map: {}, tts: 'job' };
  const batch = { name: 'l', source: 'l.csv', subset: null, settings: { reading }, control: 'running' } as BatchRecord;
  const why = 'Batch "l" is being stopped; no row was changed.';

  it('of a batch that is being stopped: says how to end it', () => {
    expect(notOpenedText({ ...batch, control: 'stopping' }, { opened: 0, why })).toBe(
      `${why} Nothing was spent. To end the batch first (what runs is fetched later, free): voxbatch stop l --now. Then run the same command again.`,
    );
  });

  it('all but some: says how to go on with those', () => {
    expect(notOpenedText(batch, { opened: 0, why })).toBe(`${why} Nothing was spent.`);
    expect(notOpenedText(batch, { opened: 2, why })).toBe(
      `${why} Nothing was spent. 2 rows were opened before that; continue with: voxbatch run l.csv`,
    );
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

describe('a budget that is too small for another take', () => {
  const bill = { quoted: 7, cheapest: 7, affordable: { rows: 0, quoted: 0 }, unpriced: 0 };
  const facts = {
    ...{ rows: 1, isEstimate: false, budgetNeeded: 21, budget: 0, balance: null, confirmAbove: null },
    ...{ bill: { ...bill, unpricedRows: { count: 0, first: [] } }, yes: false, canAsk: false },
  };

  it.each([
    ['where it stands', false, /Raise it, then run the same command again: voxbatch tune b --budget 21$/],
    // Which would lower it again.
    ['in the command that gives it', true, /Nothing was spent\. Run the same command with --budget 21$/],
  ])('is raised %s', (_, isGiven, words) => {
    expect(leftBudgetRefusal('b', isGiven)('small-budget', facts)).toMatch(words);
  });
});
