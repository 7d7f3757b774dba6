import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { firstLook, nextLook } from '../../../workflows/policy/looks.ts';

const PLAN = { firstLookMs: 3_000, pollGapMs: 4_000 };

describe('looks', () => {
  it.each([
    ['after the advised wait', 10_000, 503_000],
    ['after what is left of it', 11_000, 502_000],
    ['at once where it is over', 20_000, 500_000],
    ['no later where the wall clock was set back an hour', 10_000 - 3_600_000, 503_000],
  ])('looks first %s', (_name, wall, at) => {
    expect(firstLook(PLAN, null, 10_000, { wall, monotonic: 500_000 })).toBe(at);
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
});
