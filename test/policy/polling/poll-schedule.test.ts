import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  FEW_FAILED_POLLS,
  firstPoll,
  maxFailedPolls,
  nextPoll,
  roundToTick,
  nextSafetyPollAge,
} from '../../../policy/polling/poll-schedule.ts';

const PLAN = { firstLookMs: 3_000, pollGapMs: 4_000 };

describe('polls', () => {
  it.each([
    ['after the advised wait', 0, 10_000, 503_000],
    ['after what is left of it', 1_000, 11_000, 502_000],
    ['at once where it is over', 0, 20_000, 500_000],
    ['once such jobs begin to end', 9_000, 11_000, 508_000],
    ['no later where the wall clock was set back an hour', 0, 10_000 - 3_600_000, 503_000],
  ])('polls first %s', (_name, earlyMs, wall, at) => {
    expect(firstPoll(PLAN, earlyMs, 10_000, { wall, host: wall, monotonic: 500_000 })).toBe(at);
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
    expect([1_024, 1_026, 1_051].map((at) => roundToTick(PLAN, at))).toEqual([1_000, 1_050, 1_050]);
    expect(roundToTick({ ...PLAN, pollGapMs: 100 }, 1_024)).toBe(1_020);
    expect(roundToTick({ ...PLAN, pollGapMs: 0 }, 1_024.5)).toBe(1_024.5);
  });
});

it('a job is polled in vain as often as it would be until its deadline, and never only a few times', () => {
  const plan = { firstLookMs: 3_000, pollGapMs: 3_000 };
  expect(maxFailedPolls({ ...plan, jobDeadlineMs: 7_200_000 })).toBe(2_400);
  expect(maxFailedPolls({ ...plan, jobDeadlineMs: 10_000 })).toBe(FEW_FAILED_POLLS);
});

describe('the safety net', () => {
  const NET = { firstLookMs: 3_000, pollGapMs: 3_000 };

  it('waits until nearly all such jobs have ended, or for long where nobody knows', () => {
    expect(nextSafetyPollAge(NET, { longestMs: undefined, deadlineMs: 1e9 }, 3_000)).toBe(600_000);
    expect(nextSafetyPollAge(NET, { longestMs: undefined, deadlineMs: 100_000 }, 3_000)).toBe(100_001);
    const slow = { ...NET, pollGapMs: 90_000 };
    expect(nextSafetyPollAge(slow, { longestMs: undefined, deadlineMs: 1e9 }, 3_000)).toBe(900_000);
    expect(nextSafetyPollAge(NET, { longestMs: 10_000, deadlineMs: 1e9 }, 3_000)).toBe(15_000);
    expect(nextSafetyPollAge(NET, { longestMs: 600_000, deadlineMs: 1e9 }, 3_000)).toBe(723_000);
  });

  it('looks ever more rarely, and just after the deadline', () => {
    expect(nextSafetyPollAge(NET, { longestMs: 10_000, deadlineMs: 1e9 }, 40_000)).toBe(60_000);
    expect(nextSafetyPollAge(NET, { longestMs: 10_000, deadlineMs: 50_000 }, 40_000)).toBe(50_001);
    expect(nextSafetyPollAge(NET, { longestMs: 10_000, deadlineMs: 50_000 }, 50_001)).toBeGreaterThan(53_000);
  });

  it('goes forward, and few looks reach any age', () => {
    const longestMs = fc.option(fc.integer({ min: 0, max: 3_600_000 }), { nil: undefined });
    const times = fc.record({ longestMs, deadlineMs: fc.integer({ min: 1, max: 7_200_000 }) });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 60_000 }), times, (pollGapMs, known) => {
        let [age, looks] = [0, 0];
        while (age < 7_200_000) {
          const next = nextSafetyPollAge({ firstLookMs: 0, pollGapMs }, known, age);
          expect(next).toBeGreaterThan(age);
          [age, looks] = [next, looks + 1];
        }
        expect(looks).toBeLessThan(50);
      }),
    );
  });
});
