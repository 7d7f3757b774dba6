import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { nominalTimeOf } from '../../../policy/schedules/nominal-time.ts';
import { readScheduleSpec, type ScheduleSpec, type WrittenSpec } from '../../../policy/schedules/schedule-spec.ts';

function specOf(written: WrittenSpec): ScheduleSpec {
  const read = readScheduleSpec(written);
  if (read.type === 'refused') throw new Error(read.expected);
  return read.spec;
}

const MINUTE_MS = 60_000;

describe('the time that a firing was scheduled for', () => {
  it('is that at which it comes, to the second, where there is no jitter', () => {
    expect(nominalTimeOf(Date.UTC(2026, 0, 1, 2, 0, 0, 7), specOf({ cron: '0 2 * * *' }))).toBe(
      Date.UTC(2026, 0, 1, 2),
    );
  });

  it('is a multiple of the length with --every', () => {
    const spec = specOf({ every: '6h', jitter: '1h' });
    expect(nominalTimeOf(Date.UTC(2026, 0, 1, 6, 41, 3, 250), spec)).toBe(Date.UTC(2026, 0, 1, 6));
  });

  it('is the latest of the calendar, in the timezone of the schedule', () => {
    const spec = specOf({ cron: '30 2,3 * * mon', timezone: 'Europe/Berlin', jitter: '2h' });
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 60 * MINUTE_MS - 1 }), (late) => {
        // Monday, 2:30 in Berlin.
        const at = Date.UTC(2026, 6, 6, 0, 30);
        expect(nominalTimeOf(at + late, spec)).toBe(at);
        expect(nominalTimeOf(at + 60 * MINUTE_MS + late, spec)).toBe(at + 60 * MINUTE_MS);
      }),
      { numRuns: 20 },
    );
  });

  it('is found within the longest jitter, and is looked for no further back, whatever an old schedule has', () => {
    const monthly = specOf({ cron: '0 0 1 * *', jitter: '4w' });
    const first = Date.UTC(2026, 2, 1);
    expect(nominalTimeOf(first + 27 * 24 * 60 * MINUTE_MS + 123_456, monthly)).toBe(first);
    // Kept from a version that took any jitter; its day never comes.
    const never = { ...specOf({ cron: '0 0 31 2 *' }), jitterMs: 5_200 * 7 * 24 * 60 * MINUTE_MS };
    expect(nominalTimeOf(first, never)).toBe(first);
  });

  it('is the last of several seconds of a minute that are not after it', () => {
    const spec = specOf({ calendar: 'hour=* minute=* second=10,40', jitter: '5m' });
    const minute = Date.UTC(2026, 0, 1, 6, 41);
    expect(nominalTimeOf(minute + 9_999, spec)).toBe(minute - 20_000);
    expect(nominalTimeOf(minute + 39_999, spec)).toBe(minute + 10_000);
    expect(nominalTimeOf(minute + 40_000, spec)).toBe(minute + 40_000);
  });

  it('is that at which it comes where the calendar has none', () => {
    // 2:15 does not exist on that day, and Temporal fires at 2:45.
    const spec = specOf({ cron: '15 2 * * *', timezone: 'Australia/Lord_Howe', jitter: '5m' });
    const at = Date.parse('2027-10-03T02:46:10+11:00');
    expect(nominalTimeOf(at, spec)).toBe(at);
  });
});
