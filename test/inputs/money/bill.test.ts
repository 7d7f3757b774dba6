import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { RowSpec } from '../../../contract/row-kinds.ts';
import { Bill, estimateBytes, type BilledRow } from '../../../inputs/money/bill.ts';

const row = (line: number, quoted: number | null, more: Partial<BilledRow> = {}): BilledRow => ({
  line,
  id: `r${line}`,
  quoted,
  isAssumed: false,
  spec: { kind: 'stt', audio: 'https://media.example/a.mp3', extra: {} },
  ...more,
});

function billOf(rows: readonly BilledRow[], budget: number | null = null): ReturnType<Bill['summary']> {
  const bill = new Bill(budget);
  for (const one of rows) bill.add(one);
  return bill.summary();
}

describe('Bill', () => {
  it('is empty without rows', () => {
    expect(billOf([])).toMatchObject({ quoted: 0, unpriced: 0, cheapest: null, affordable: null, disk: { bytes: 0 } });
  });

  it('names the first five rows without a price and counts all', () => {
    const { unpricedRows, notProbed } = billOf([
      row(2, null, { notProbed: 'the audio answers 404' }),
      ...[3, 4, 5, 6, 7, 8].map((line) => row(line, null)),
    ]);
    expect(unpricedRows.count).toBe(7);
    expect(unpricedRows.first.map(({ line }) => line)).toEqual([2, 3, 4, 5, 6]);
    expect(unpricedRows.first[0]).toEqual({ line: 2, id: 'r2', why: 'the audio answers 404' });
    expect(unpricedRows.first[1]?.why).toBe('unknown length');
    expect(notProbed).toMatchObject({ count: 1 });
  });

  it('counts a row whose results are there, and neither prices it nor takes it for one that a budget pays', () => {
    const bill = billOf([row(2, 0, { requests: 0 }), row(3, 5), row(4, 9)], 6);
    expect(bill).toMatchObject({
      quoted: 14,
      free: 1,
      cheapest: 5,
      affordable: { rows: 1, quoted: 5 },
      kinds: { stt: { rows: 3, requests: 2, free: 1, quoted: 14 } },
    });
    expect(billOf([row(2, 0, { requests: 0 })], 6)).toMatchObject({ cheapest: null, quoted: 0, disk: { unknown: 0 } });
  });

  it('sums exactly, whatever the prices, and affords no more than the budget', () => {
    const cents = fc.option(fc.integer({ min: 0, max: 100_000 }), { freq: 5 });
    fc.assert(
      fc.property(fc.array(cents), fc.integer({ min: 1, max: 1_000_000 }), (prices, budget) => {
        const rows = prices.map((price, at) => row(at + 2, price === null ? null : price / 100));
        const bill = billOf(rows, budget / 100);
        const known = prices.filter((price) => price !== null);
        const sum = known.reduce((all, price) => all + price, 0);
        expect(Math.round(bill.quoted * 100)).toBe(sum);
        expect(bill.unpriced).toBe(prices.length - known.length);
        expect(bill.cheapest).toBe(known.length === 0 ? null : Math.min(...known) / 100);
        expect(bill.affordable?.quoted).toBeLessThanOrEqual(budget / 100);
        expect(bill.affordable?.rows === known.length).toBe(sum <= budget);
      }),
    );
  });
});

describe('estimateBytes', () => {
  const speech = (more: Partial<RowSpec>): number | null =>
    estimateBytes({ kind: 'tts', text: 'x'.repeat(150), voice: 'v', extra: {}, ...more });

  it('takes speech by its characters, speed and format', () => {
    expect(speech({})).toBe(160_000);
    expect(speech({ speed: 2 })).toBe(80_000);
    expect(speech({ format: 'wav' })).toBe(882_000);
    expect(speech({ text: '你'.repeat(45) })).toBe(160_000);
  });

  it('takes video and transcripts by their length, and says so where they have none', () => {
    const recording: RowSpec = { kind: 'stt', audio: 'https://a', extra: {} };
    expect(estimateBytes(recording)).toBeNull();
    expect(estimateBytes({ ...recording, duration: 60 })).toBe(4_800);
    const video: RowSpec = { kind: 'lip-sync', video: 'https://v', audio: 'https://a', extra: {} };
    expect(estimateBytes(video)).toBeNull();
    expect(estimateBytes({ ...video, duration: 12 })).toBe(12_000_000);
  });

  it('counts rows of unknown size apart', () => {
    const lipSync: RowSpec = { kind: 'lip-sync', video: 'https://v', audio: 'https://a', extra: {} };
    const { disk } = billOf([row(2, null, { spec: lipSync }), row(3, 1, { spec: { ...lipSync, duration: 2 } })]);
    expect(disk).toEqual({ bytes: 2_000_000, unknown: 1 });
  });
});
