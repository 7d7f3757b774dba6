import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { OUTCOMES } from '../../../contract/outcomes.ts';
import { compareRows, type RowSide } from '../../../policy/compare/row-parity.ts';

const TOLERANCES = { length: 0.2, words: 0.25 };
const DONE: RowSide = { outcome: 'succeeded', failure: null, extension: 'mp3', seconds: 10, words: null };
const FAILED: RowSide = { outcome: 'failed', failure: 'BadRequest', extension: null, seconds: null, words: null };

function differences(one: Partial<RowSide>, other: Partial<RowSide>, base = DONE): readonly string[] {
  const [left, right] = [one, other].map((side) => ({ ...base, ...side })) as [RowSide, RowSide];
  return compareRows([left, right], TOLERANCES).differences;
}

describe('compareRows', () => {
  it('finds other ends, and other reasons', () => {
    expect(compareRows([DONE, FAILED], TOLERANCES).differences).toEqual(['outcome']);
    expect(differences({}, { outcome: 'unknown', failure: 'OutcomeUnknown' }, FAILED)).toEqual(['outcome']);
    expect(differences({}, { failure: 'JobFailed' }, FAILED)).toEqual(['error']);
  });

  it('allows a share of the longer length, or half a second', () => {
    expect(differences({ seconds: 8 }, {})).toEqual([]);
    expect(differences({ seconds: 7.9 }, {})).toEqual(['length']);
    expect(differences({}, { seconds: 12.6 })).toEqual(['length']);
    expect(differences({ seconds: 0.1 }, { seconds: 0.6 })).toEqual([]);
    expect(differences({ seconds: null }, {})).toEqual([]);
    expect(compareRows([{ ...DONE, seconds: 8 }, DONE], TOLERANCES).lengthChange).toBeCloseTo(0.2);
    expect(compareRows([DONE, { ...DONE, seconds: 8 }], TOLERANCES).lengthChange).toBeCloseTo(-0.2);
  });

  it('allows a share of the words of the longer transcript', () => {
    const heard = { seconds: null, extension: 'txt' };
    expect(differences({ ...heard, words: ['a', 'b', 'c', 'd'] }, { ...heard, words: ['a', 'b', 'c'] })).toEqual([]);
    expect(differences({ ...heard, words: ['a', 'b', 'c', 'd'] }, { ...heard, words: ['a', 'x'] })).toEqual(['words']);
    expect(differences({ ...heard, words: [] }, { ...heard, words: [] })).toEqual([]);
  });

  it('finds another format, and another request', () => {
    expect(differences({}, { extension: 'wav' })).toEqual(['format']);
    expect(compareRows([DONE, DONE], TOLERANCES, true).differences).toEqual(['input']);
  });

  it.each([
    ['skipped', 'not-run'],
    ['cancelled', 'not-run'],
    [null, 'open'],
  ] as const)('draws no conclusion from a row that ended as %s', (outcome, type) => {
    for (const pair of [[DONE, { ...DONE, outcome }] as const, [{ ...DONE, outcome }, DONE] as const])
      expect(compareRows(pair, TOLERANCES, true)).toEqual({ type, differences: [], lengthChange: null, words: null });
  });

  it('finds the same differences in either order, and none between a row and itself', () => {
    const side: fc.Arbitrary<RowSide> = fc.record({
      outcome: fc.constantFrom(...OUTCOMES, null),
      failure: fc.constantFrom('BadRequest', 'JobFailed', null),
      extension: fc.constantFrom('mp3', 'wav', null),
      seconds: fc.option(fc.double({ min: 0, max: 1_000, noNaN: true })),
      words: fc.option(fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 8 })),
    });
    fc.assert(
      fc.property(side, side, (one, other) => {
        const there = compareRows([one, other], TOLERANCES);
        const back = compareRows([other, one], TOLERANCES);
        expect([back.type, back.differences]).toEqual([there.type, there.differences]);
        expect(compareRows([one, one], TOLERANCES).differences).toEqual([]);
      }),
    );
  });
});
