import { describe, expect, it } from '@jest/globals';
import { countedFor, isChargeKnown, sizeOf, type ChargeRatio } from '../../../policy/money/charge-ratio.ts';

const NOTHING: ChargeRatio = { size: 16, worst: 0, unquoted: 0, told: 0, ended: 0, earlier: 0 };

it('the size of a quote goes up to a power of four', () => {
  expect([0.3, 1, 1.01, 4, 200].map(sizeOf)).toEqual([1, 1, 4, 4, 256]);
  expect(sizeOf(0)).toBe(0);
  expect(sizeOf(1e12)).toBe(4 ** 16);
  expect(sizeOf(1e-9)).toBe(4 ** -8);
});

describe('what a request counts with', () => {
  it('is as many times its quote as a larger one was charged, and only the difference more that a smaller one was', () => {
    const least = { ...NOTHING, size: 1, worst: 20 };
    const long = { ...NOTHING, size: 256, worst: 2 };
    expect(countedFor(0.5, [[least]])).toBe(10);
    expect(countedFor(200, [[least]])).toBe(219);
    expect(countedFor(10, [[long]])).toBe(20);
    expect(countedFor(10, [[least, long]])).toBe(29);
    expect(countedFor(200, [[least, long]])).toBe(400);
  });

  it('is what each of several operations may add, but no more than the worst ratio of all', () => {
    const least = { ...NOTHING, size: 1, worst: 20 };
    expect(countedFor(200, [[least], [least]])).toBe(238);
    expect(countedFor(10, [[{ ...NOTHING, worst: 5 }], [{ ...NOTHING, worst: 3 }]])).toBe(50);
  });

  it('is the dearest of those that were quoted at 0, where there is nothing to multiply', () => {
    const dearest = [{ worst: 5 }, { size: 0, unquoted: 7 }].map((one) => ({ ...NOTHING, ...one }));
    expect(countedFor(0, [dearest])).toBe(7);
    expect(countedFor(0, [[NOTHING]])).toBe(0);
  });
});

describe('what the API charges', () => {
  it('is known once one request has ended and told, here or in an earlier batch', () => {
    expect(isChargeKnown([NOTHING])).toBe(false);
    expect(isChargeKnown([])).toBe(false);
    expect(isChargeKnown([{ ...NOTHING, told: 1, ended: 1 }])).toBe(true);
    expect(isChargeKnown([{ ...NOTHING, earlier: 0.5 }])).toBe(true);
  });

  it('is not known of a size of which none has ended', () => {
    const told = [{ ...NOTHING, size: 4, told: 9, ended: 9 }];
    expect(isChargeKnown(told, 3)).toBe(true);
    expect(isChargeKnown(told, 5)).toBe(false);
    expect(isChargeKnown(told)).toBe(true);
  });

  it('is taken never to be told after three that ended without, of any size', () => {
    expect(isChargeKnown([{ ...NOTHING, ended: 2 }], 5)).toBe(false);
    const three = [{ ended: 2 }, { size: 4, ended: 1 }].map((one) => ({ ...NOTHING, ...one }));
    expect(isChargeKnown(three, 500)).toBe(true);
    expect(isChargeKnown([{ ...NOTHING, told: 4, ended: 6 }], 500)).toBe(false);
  });
});
