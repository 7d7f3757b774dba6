import { describe, expect, it } from '@jest/globals';
import { countedFor, isChargeKnown, worstRatio } from '../../policy/charge-ratio.ts';

const NOTHING = { worst: 0, unquoted: 0, told: 0, ended: 0, earlier: 0 };

describe('what a request counts with', () => {
  it('is its quote while nothing is known, and if the API charges less', () => {
    expect(countedFor(10, [NOTHING])).toBe(10);
    expect(countedFor(10, [{ ...NOTHING, worst: 0.2, told: 5, ended: 5 }])).toBe(10);
  });

  it('is the worst that is known, of this batch or of earlier ones', () => {
    expect(countedFor(10, [{ ...NOTHING, worst: 5, earlier: 2 }])).toBe(50);
    expect(countedFor(10, [{ ...NOTHING, worst: 2, earlier: 5 }])).toBe(50);
    expect(worstRatio({ ...NOTHING, worst: 3 })).toBe(3);
  });

  it('is the dearest of those that were quoted at 0, where there is nothing to multiply', () => {
    expect(countedFor(0, [{ ...NOTHING, worst: 5, unquoted: 7 }])).toBe(7);
    expect(countedFor(0, [NOTHING])).toBe(0);
  });
});

describe('what the API charges', () => {
  it('is known once one request has ended and told, here or in an earlier batch', () => {
    expect(isChargeKnown(NOTHING)).toBe(false);
    expect(isChargeKnown({ ...NOTHING, told: 1, ended: 1 })).toBe(true);
    expect(isChargeKnown({ ...NOTHING, earlier: 0.5 })).toBe(true);
  });

  it('is taken never to be told after three that ended without', () => {
    expect(isChargeKnown({ ...NOTHING, ended: 2 })).toBe(false);
    expect(isChargeKnown({ ...NOTHING, ended: 3 })).toBe(true);
  });
});
