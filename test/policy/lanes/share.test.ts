import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { claimSize, givesWay, lanesFor, windowOf } from '../../../policy/lanes/share.ts';

describe('lanesFor', () => {
  it('makes one lane a worker, but no more than there is work for, and always one', () => {
    expect([lanesFor(1_000, 3), lanesFor(60, 3), lanesFor(3, 3), lanesFor(1_000, 0)]).toEqual([3, 2, 1, 1]);
  });
});

describe('givesWay', () => {
  const taken = [
    { lane: 1, owner: 'a' },
    { lane: 2, owner: 'b' },
    { lane: 3, owner: 'a' },
  ];
  const thatGive = (workers: readonly string[]): number[] =>
    taken.filter((lane) => givesWay(lane, workers, taken)).map(({ lane }) => lane);

  it('leaves the last lane of a process that has several to a worker that has none', () => {
    expect(thatGive(['a', 'b', 'c'])).toEqual([3]);
  });

  it('leaves none where each worker has one', () => {
    expect(thatGive(['a', 'b'])).toEqual([]);
  });
});

describe('windowOf', () => {
  it('shares the window out whole, at most one row a lane beyond it', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 5_000 }), fc.integer({ min: 1, max: 50 }), (window, lanes) => {
        const all = lanes * windowOf({ window }, lanes);
        expect(all).toBeGreaterThanOrEqual(window);
        expect(all).toBeLessThan(window + lanes);
      }),
    );
  });
});

describe('claimSize', () => {
  it('claims nothing while enough rows wait for their place', () => {
    expect([claimSize(100, 50), claimSize(1_000, 200), claimSize(40, 60)]).toEqual([0, 0, 0]);
  });

  it('claims so many that a claim is worth its commit', () => {
    expect([claimSize(1, 0), claimSize(100, 49), claimSize(400, 0), claimSize(10_000, 199)]).toEqual([
      100, 51, 200, 201,
    ]);
  });
});
