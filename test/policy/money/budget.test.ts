import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { budgetFor, budgetLeft, isChargeEstimated } from '../../../policy/money/budget.ts';

const NONE = { charged: 0, reserved: 0, uncertain: 0 };

describe('what is left of a budget', () => {
  it('is what no request was charged for, is quoted for, or may have cost', () => {
    expect(budgetLeft({ charged: 3, reserved: 2, uncertain: 1 }, 10)).toBe(4);
    expect(budgetLeft(NONE, null)).toBeNull();
  });

  it('is never below nothing, and no dust of binary fractions', () => {
    expect(budgetLeft({ ...NONE, charged: 12 }, 10)).toBe(0);
    expect(budgetLeft({ charged: 0.1, reserved: 0.2, uncertain: 0 }, 0.3)).toBe(0);
    expect(budgetLeft({ ...NONE, charged: 0.1 }, 0.3)).toBe(0.2);
  });
});

it('the budget for what is spent and more leaves enough for it', () => {
  const credits = fc.nat(1_000_000).map((cents) => cents / 100);
  fc.assert(
    fc.property(credits, credits, credits, credits, (charged, reserved, uncertain, more) => {
      const spent = { charged, reserved, uncertain };
      const left = budgetLeft(spent, budgetFor(spent, more)) ?? 0;
      expect(left).toBeGreaterThanOrEqual(more - 1e-6);
      expect(left).toBeLessThan(more + 1 + 1e-6);
    }),
  );
});

it.each([
  [3, true, true],
  [3, false, false],
  [0, true, false],
])('a charged sum of %s, partly by quotes: %s, is an estimate: %s', (charged, estimated, expected) => {
  expect(isChargeEstimated({ charged, estimated })).toBe(expected);
});
