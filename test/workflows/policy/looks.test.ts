import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { firstLook, nextLook, sliceLength } from '../../../workflows/policy/looks.ts';

const PLAN = { firstLookMs: 3_000, pollGapMs: 4_000 };

describe('looks', () => {
  it('looks first after the advised wait', () => {
    expect(firstLook(PLAN, 10_000)).toBe(13_000);
  });

  it('looks again after the gap, spread by 10 %', () => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: 0.999, noNaN: true }), (random) => {
        const gap = nextLook(PLAN, 100, random) - 100;
        expect(gap).toBeGreaterThanOrEqual(3_600);
        expect(gap).toBeLessThan(4_400);
      }),
    );
  });

  it('keeps slices short while rows are still being sent', () => {
    expect(sliceLength(true)).toBeLessThanOrEqual(5_000);
    expect(sliceLength(false)).toBeGreaterThan(sliceLength(true));
  });
});
