import { describe, expect, it } from '@jest/globals';
import { shouldHalt } from '../../../policy/lanes/halt.ts';

describe('shouldHalt', () => {
  it('never, where the policy says never', () => {
    expect(shouldHalt({ when: 'never' }, { failed: 1000, tried: 1000 })).toBe(false);
  });

  it.each([
    [2, false],
    [3, true],
    [4, true],
  ])('at a number of rows: %d of 3 → %s', (failed, halts) => {
    expect(shouldHalt({ when: 'soon', fail: 3, unit: 'rows' }, { failed, tried: failed })).toBe(halts);
  });

  it.each([
    [19, 19, false],
    [20, 0, false],
    [20, 1, true],
    [40, 1, false],
    [40, 2, true],
    [41, 2, false],
  ])('at a share of 5 %%, from 20 rows on: of %d rows %d failed → %s', (tried, failed, halts) => {
    expect(shouldHalt({ when: 'now', fail: 5, unit: 'percent' }, { failed, tried })).toBe(halts);
  });
});
