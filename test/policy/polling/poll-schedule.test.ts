import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  firstPoll,
  nextAge,
  nextPoll,
  onTick,
  planAtEnd,
  pollAfterFailure,
  scheduledAges,
  scheduledPolls,
} from '../../../policy/polling/poll-schedule.ts';

const PLAN = { firstLookMs: 3_000, pollGapMs: 4_000 };

describe('polls', () => {
  it.each([
    ['after the advised wait', 10_000, 503_000],
    ['after what is left of it', 11_000, 502_000],
    ['at once where it is over', 20_000, 500_000],
    ['no later where the wall clock was set back an hour', 10_000 - 3_600_000, 503_000],
  ])('polls first %s', (_name, wall, at) => {
    expect(firstPoll(PLAN, null, 10_000, { wall, monotonic: 500_000 })).toBe(at);
  });

  it('polls again after the gap, spread by 10 %', () => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: 0.999, noNaN: true }), (random) => {
        const gap = nextPoll(PLAN, 9_000, 100, random) - 100;
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

  it('polls again soon after a poll that failed, ever later, and never later than the gap', () => {
    const gaps = [1, 2, 3, 4, 50].map((failed) => pollAfterFailure(PLAN, failed, 9_000, 100, 0.5) - 100);
    expect(gaps).toEqual([1_000, 2_000, 4_000, 4_000, 4_000]);
  });

  it('counts what its own polls would have been, until one sees the end', () => {
    expect([0, 3_000, 3_001, 7_000, 11_000].map((age) => scheduledPolls(PLAN, age))).toEqual([1, 1, 2, 2, 3]);
    expect(scheduledPolls({ firstLookMs: 0, pollGapMs: 0 }, 5_000)).toBe(1);
    expect(scheduledPolls({ firstLookMs: 0, pollGapMs: 1 }, 7_200_000)).toBe(7_200_001);
  });

  it('counts the polls that it makes', () => {
    const ms = fc.integer({ min: 0, max: 20_000 });
    fc.assert(
      fc.property(ms, ms, ms, (firstLookMs, pollGapMs, endMs) => {
        const plan = { firstLookMs, pollGapMs: pollGapMs + 1 };
        const ages: number[] = [firstLookMs];
        while ((ages.at(-1) ?? 0) < endMs && ages.length < 200) ages.push(nextAge(plan, null, ages.at(-1) ?? 0, 0.5));
        fc.pre(ages.length < 200);
        expect(scheduledAges(plan, endMs)).toEqual(ages);
        expect(scheduledPolls(plan, endMs)).toBe(ages.length);
      }),
    );
  });

  it('polls more often at the last rows, but only with polls that were saved before', () => {
    expect(planAtEnd(PLAN, 10, 40)).toEqual({ firstLookMs: 3_000, pollGapMs: 1_000 });
    expect(planAtEnd(PLAN, 10, 39)).toBe(PLAN);
    expect(planAtEnd(PLAN, undefined, 1_000)).toBe(PLAN);
  });
});
