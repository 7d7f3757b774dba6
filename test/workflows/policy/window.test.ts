import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { claimSize, lanesFor, shareOf } from '../../../workflows/policy/window.ts';

const limit = fc.integer({ min: 1, max: 2_000 });
const lanes = fc.integer({ min: 1, max: 16 });

describe('shareOf', () => {
  it('shares the window out with at most one row too many per lane, and leaves no lane without', () => {
    fc.assert(
      fc.property(limit, limit, lanes, (window, submits, count) => {
        const share = shareOf({ window, submits }, count);
        expect(share.window).toBeGreaterThanOrEqual(1);
        expect(share.submits).toBeGreaterThanOrEqual(1);
        expect(share.window * count).toBeLessThan(window + count);
        expect(share.window * count).toBeGreaterThanOrEqual(window);
      }),
    );
  });

  it.each([
    [8, 4, 4],
    [8, 3, 6],
    [1, 4, 1],
    [50, 1, 100],
  ])('of %d submits, over %d lanes, lets each hold twice its part: %d', (submits, count, expected) => {
    expect(shareOf({ window: 1, submits }, count).submits).toBe(expected);
  });
});

describe('lanesFor', () => {
  it.each([
    [1, 1],
    [50, 1],
    [51, 2],
    [1_000_000, 4],
  ])('%d rows: %d lanes', (rows, expected) => {
    expect(lanesFor(rows)).toBe(expected);
  });
});

describe('claimSize', () => {
  it('never goes beyond the window, and always claims for an empty lane', () => {
    fc.assert(
      fc.property(limit, fc.nat(2_000), fc.boolean(), (window, inFlight, inChunks) => {
        const size = claimSize(window, inFlight, inChunks);
        expect(size).toBeGreaterThanOrEqual(0);
        if (size > 0) expect(inFlight + size).toBeLessThanOrEqual(window);
        if (inFlight === 0) expect(size).toBeGreaterThan(0);
        if (!inChunks && inFlight < window) expect(size).toBeGreaterThan(0);
      }),
    );
  });

  it.each([
    // A quarter of the window is worth a round trip; two quarters are claimed at once.
    [40, 30, true, 10],
    [40, 31, true, 0],
    [40, 31, false, 9],
    [40, 0, true, 20],
    [2, 1, true, 1],
    // At most 50 make it worth while, and at most 100 are claimed.
    [400, 350, true, 50],
    [400, 351, true, 0],
    [400, 0, true, 100],
    [400, 400, false, 0],
    [400, 450, false, 0],
  ])('of a window of %d with %d in flight, in chunks: %j, is %d', (window, inFlight, inChunks, size) => {
    expect(claimSize(window, inFlight, inChunks)).toBe(size);
  });
});
