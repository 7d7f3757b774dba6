import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Operation } from '../../../contract/row-kinds.ts';
import { PriceTally } from '../../../policy/money/compare-prices.ts';

const credits = fc.integer({ min: 0, max: 10_000 });
const operation = fc.constantFrom<Operation>('speech-job', 'lip-sync-job', 'transcription');
const paid = fc.array(fc.tuple(operation, credits, credits), { maxLength: 30 });
const open = fc.array(fc.tuple(operation, credits), { maxLength: 30 });

type Paid = readonly [Operation, quoted: number | null, charged: number];
type Open = readonly [Operation, quoted: number | null];
function tallyOf(paid: readonly Paid[], open: readonly Open[] = []): PriceTally {
  const tally = new PriceTally();
  for (const one of paid) tally.addPaid(...one);
  for (const one of open) tally.addOpen(...one);
  return tally;
}

describe('prices as charged', () => {
  it('change what is open by the factor of its own operation', () => {
    const { operations, rest, differs } = tallyOf(
      [
        ['speech-job', 10, 15],
        ['speech-job', 30, 45],
        ['lip-sync-job', 8, 8],
      ],
      [
        ['speech-job', 100],
        ['lip-sync-job', 50],
        ['transcription', 7],
      ],
    ).compare();
    expect(operations).toMatchObject([
      { operation: 'speech-job', requests: 2, quoted: 40, charged: 60, factor: 1.5, rest: { expected: 150 } },
      { operation: 'lip-sync-job', factor: 1, rest: { expected: 50 } },
      { operation: 'transcription', requests: 0, factor: null, rest: { expected: 7 } },
    ]);
    expect([rest, differs]).toEqual([{ quoted: 157, expected: 207 }, true]);
  });

  it.each<[string, readonly Paid[], readonly Open[], object]>([
    [
      'price what had no quote by the mean',
      [null, 10].map((quoted) => ['transcription', quoted, quoted === null ? 12 : 14]),
      [null, 20].map((quoted) => ['transcription', quoted]),
      { rest: { quoted: null, expected: 13 + 28 } },
    ],
    [
      'leave it unknown where nothing was measured',
      [],
      [['lip-sync-job', null]],
      { differs: false, rest: { quoted: null, expected: null } },
    ],
    [
      'show what was quoted at nothing and is not free',
      [['speech-job', 0, 3]],
      [0, 0].map((quoted) => ['speech-job', quoted]),
      { differs: true, rest: { quoted: 0, expected: 6 } },
    ],
  ])('%s', (_, before, after, compared) => expect(tallyOf(before, after).compare()).toMatchObject(compared));

  it('that are the quotes change nothing', () => {
    fc.assert(
      fc.property(paid, open, (before, after) => {
        const asQuoted = before.map(([operation, quoted]): Paid => [operation, quoted, quoted]);
        const compared = tallyOf(asQuoted, after).compare();
        expect(compared.differs).toBe(false);
        expect(compared.rest.expected).toBe(compared.rest.quoted);
      }),
    );
  });

  it('do not depend on the order, and the cost of all that is open is that of its requests together', () => {
    fc.assert(
      fc.property(paid, open, (before, after) => {
        const tally = tallyOf(before, after);
        const { rest: all } = tally.compare();
        expect(tallyOf(before.toReversed(), after.toReversed()).compare().rest).toEqual(all);
        const each = after.reduce((sum, one) => sum + (tally.expect(...one) ?? 0), 0);
        expect(all.expected).toBeCloseTo(each, 2);
      }),
    );
  });

  it('that are higher never make the rest cheaper', () => {
    fc.assert(
      fc.property(paid, open, credits, (before, after, more) => {
        const dearer = before.map(([operation, quoted, charged]): Paid => [operation, quoted, charged + more]);
        const [usual = 0, high = 0] = [before, dearer].map((some) => tallyOf(some, after).compare().rest.expected ?? 0);
        expect(high).toBeGreaterThanOrEqual(usual);
      }),
    );
  });
});
