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
});
