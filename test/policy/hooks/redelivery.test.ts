import fc from 'fast-check';
import { describe, expect, it } from '@jest/globals';
import { redeliverAt } from '../../../policy/hooks/redelivery.ts';

const DAY_MS = 86_400_000;

describe('redeliverAt', () => {
  it('gives up when the message would be more than a day old', () => {
    expect(redeliverAt(9, 0, DAY_MS - 1_800_000, 0.5)).toBe(DAY_MS);
    expect(redeliverAt(9, 0, DAY_MS - 1_799_999, 0.5)).toBeNull();
  });

  it('varies by a fifth at most, and never lies in the past', () => {
    fc.assert(
      fc.property(fc.nat(50), fc.nat(DAY_MS), fc.double({ min: 0, max: 1, noNaN: true }), (tries, now, random) => {
        const [at, middle] = [redeliverAt(tries, now, now, random) ?? 0, redeliverAt(tries, now, now, 0.5) ?? 0];
        expect(at).toBeGreaterThan(now);
        expect(Math.abs(at - middle)).toBeLessThanOrEqual((middle - now) * 0.2 + 1);
      }),
    );
  });
});
