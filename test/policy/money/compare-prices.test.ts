import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Operation } from '../../../contract/row-kinds.ts';
import { PriceTally } from '../../../policy/money/compare-prices.ts';

const credits = fc.integer({ min: 0, max: 10_000 });
const operation = fc.constantFrom<Operation>('speech-job', 'lip-sync-job', 'transcription');
const paid = fc.array(fc.record({ operation, quoted: credits, charged: credits }), { maxLength: 30 });
const open = fc.array(fc.record({ operation, quoted: credits }), { maxLength: 30 });

function tallyOf(requests: {
  readonly paid: readonly { operation: Operation; quoted: number | null; charged: number }[];
  readonly open?: readonly { operation: Operation; quoted: number | null }[];
}): PriceTally {
  const tally = new PriceTally();
  for (const one of requests.paid) tally.addPaid(one.operation, one.quoted, one.charged);
  for (const one of requests.open ?? []) tally.addOpen(one.operation, one.quoted);
  return tally;
}

describe('prices as charged', () => {
  it('change what is open by the factor of its own operation', () => {
    const { operations, rest, differs } = tallyOf({
      paid: [
        { operation: 'speech-job', quoted: 10, charged: 15 },
        { operation: 'speech-job', quoted: 30, charged: 45 },
        { operation: 'lip-sync-job', quoted: 8, charged: 8 },
      ],
      open: [
        { operation: 'speech-job', quoted: 100 },
        { operation: 'lip-sync-job', quoted: 50 },
        { operation: 'transcription', quoted: 7 },
      ],
    }).compare();
    expect(operations).toEqual([
      expect.objectContaining({ operation: 'speech-job', requests: 2, quoted: 40, charged: 60, factor: 1.5 }),
      expect.objectContaining({ operation: 'lip-sync-job', factor: 1 }),
      expect.objectContaining({ operation: 'transcription', requests: 0, factor: null }),
    ]);
    expect(operations.map(({ rest: { expected } }) => expected)).toEqual([150, 50, 7]);
    expect(rest).toEqual({ quoted: 157, expected: 207 });
    expect(differs).toBe(true);
  });

  it('price what had no quote by the mean, and leave it unknown where nothing was measured', () => {
    const measured = tallyOf({
      paid: [
        { operation: 'transcription', quoted: null, charged: 12 },
        { operation: 'transcription', quoted: 10, charged: 14 },
      ],
      open: [
        { operation: 'transcription', quoted: null },
        { operation: 'transcription', quoted: 20 },
      ],
    });
    expect(measured.compare().rest).toEqual({ quoted: null, expected: 13 + 28 });
    const unmeasured = tallyOf({ paid: [], open: [{ operation: 'lip-sync-job', quoted: null }] });
    expect(unmeasured.compare()).toMatchObject({ differs: false, rest: { quoted: null, expected: null } });
  });

  it('show what was quoted at nothing and is not free', () => {
    const tally = tallyOf({
      paid: [{ operation: 'speech-job', quoted: 0, charged: 3 }],
      open: [
        { operation: 'speech-job', quoted: 0 },
        { operation: 'speech-job', quoted: 0 },
      ],
    });
    expect(tally.compare()).toMatchObject({ differs: true, rest: { quoted: 0, expected: 6 } });
  });

  it('that are the quotes change nothing', () => {
    fc.assert(
      fc.property(paid, open, (before, after) => {
        const asQuoted = before.map((one) => ({ ...one, charged: one.quoted }));
        const compared = tallyOf({ paid: asQuoted, open: after }).compare();
        expect(compared.differs).toBe(false);
        expect(compared.rest.expected).toBe(compared.rest.quoted);
      }),
    );
  });

  it('do not depend on the order, and the cost of all that is open is that of its requests together', () => {
    fc.assert(
      fc.property(paid, open, (before, after) => {
        const tally = tallyOf({ paid: before, open: after });
        const { rest } = tally.compare();
        expect(tallyOf({ paid: before.toReversed(), open: after.toReversed() }).compare().rest).toEqual(rest);
        const each = after.reduce((sum, one) => sum + (tally.expect(one.operation, one.quoted) ?? 0), 0);
        expect(rest.expected).toBeCloseTo(each, 2);
      }),
    );
  });

  it('that are higher never make the rest cheaper', () => {
    fc.assert(
      fc.property(paid, open, credits, (before, after, more) => {
        const dearer = before.map((one) => ({ ...one, charged: one.charged + more }));
        const expectedOf = (some: typeof before): number =>
          tallyOf({ paid: some, open: after }).compare().rest.expected ?? 0;
        expect(expectedOf(dearer)).toBeGreaterThanOrEqual(expectedOf(before));
      }),
    );
  });
});
