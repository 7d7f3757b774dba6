import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { safetyAge } from '../../../policy/polling/poll-schedule.ts';

const PLAN = { firstLookMs: 3_000, pollGapMs: 3_000 };

describe('the safety net', () => {
  it('waits until nearly all such jobs have ended, or for long where nobody knows', () => {
    expect(safetyAge(PLAN, { longestMs: undefined, deadlineMs: 1e9 }, 3_000)).toBe(600_000);
    expect(safetyAge(PLAN, { longestMs: undefined, deadlineMs: 100_000 }, 3_000)).toBe(100_001);
    const slow = { ...PLAN, pollGapMs: 90_000 };
    expect(safetyAge(slow, { longestMs: undefined, deadlineMs: 1e9 }, 3_000)).toBe(900_000);
    expect(safetyAge(PLAN, { longestMs: 10_000, deadlineMs: 1e9 }, 3_000)).toBe(15_000);
    expect(safetyAge(PLAN, { longestMs: 600_000, deadlineMs: 1e9 }, 3_000)).toBe(723_000);
  });

  it('looks ever more rarely, and just after the deadline', () => {
    expect(safetyAge(PLAN, { longestMs: 10_000, deadlineMs: 1e9 }, 40_000)).toBe(60_000);
    expect(safetyAge(PLAN, { longestMs: 10_000, deadlineMs: 50_000 }, 40_000)).toBe(50_001);
    expect(safetyAge(PLAN, { longestMs: 10_000, deadlineMs: 50_000 }, 50_001)).toBeGreaterThan(53_000);
  });

  it('goes forward, and few looks reach any age', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 60_000 }),
        fc.option(fc.integer({ min: 0, max: 3_600_000 }), { nil: undefined }),
        fc.integer({ min: 1, max: 7_200_000 }),
        (pollGapMs, longestMs, deadlineMs) => {
          let [age, looks] = [0, 0];
          while (age < 7_200_000) {
            const next = safetyAge({ firstLookMs: 0, pollGapMs }, { longestMs, deadlineMs }, age);
            expect(next).toBeGreaterThan(age);
            [age, looks] = [next, looks + 1];
          }
          expect(looks).toBeLessThan(50);
        },
      ),
    );
  });
});
