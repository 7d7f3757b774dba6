import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { firstPoll, nextPoll, onTick } from '../../../policy/polling/poll-schedule.ts';

const PLAN = { firstLookMs: 3_000, pollGapMs: 4_000 };

describe('polls', () => {
  it.each([
    ['after the advised wait', 0, 10_000, 503_000],
    ['after what is left of it', 1_000, 11_000, 502_000],
    ['at once where it is over', 0, 20_000, 500_000],
    ['once such jobs begin to end', 9_000, 11_000, 508_000],
    ['no later where the wall clock was set back an hour', 0, 10_000 - 3_600_000, 503_000],
  ])('polls first %s', (_name, earlyMs, wall, at) => {
    expect(firstPoll(PLAN, earlyMs, 10_000, { wall, monotonic: 500_000 })).toBe(at);
  });

  it('polls again after the gap, spread by 10 %', () => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: 0.999, noNaN: true }), (random) => {
        const gap = nextPoll(PLAN, 100, random) - 100;
        expect(gap).toBeGreaterThanOrEqual(3_600);
        expect(gap).toBeLessThan(4_400);
      }),
    );
  });

  it('makes polls of about the same time together, close to when they were planned', () => {
    expect([1_024, 1_026, 1_051].map((at) => onTick(PLAN, at))).toEqual([1_000, 1_050, 1_050]);
    expect(onTick({ ...PLAN, pollGapMs: 100 }, 1_024)).toBe(1_020);
    expect(onTick({ ...PLAN, pollGapMs: 0 }, 1_024.5)).toBe(1_024.5);
  });
});
