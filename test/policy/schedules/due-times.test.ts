import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { isNominal, nominalTimeOf, waitForOwnSecond } from '../../../policy/schedules/due-times.ts';
import { CLOCK_CHANGES } from '../../support/clock-changes.ts';
import type { ScheduleSpec } from '../../../policy/schedules/schedule-spec.ts';
import { specOf } from '../../support/schedule-on-record.ts';

const AT = Date.UTC(2026, 11, 1, 2);

/** Of `--calendar`, which there is no more: a schedule that was made with it goes on. */
const SECONDS: ScheduleSpec['times'] = {
  type: 'calendar',
  calendar: { second: [10, 40], minute: '*', hour: '*', day: [1], month: '*', weekday: [2], year: [2026, 2027] },
  text: 'calendar second=10,40 minute=* hour=* day=1 weekday=tue year=2026,2027',
};

describe('a time at which a schedule is due', () => {
  it('is among the seconds, days and years of a calendar on record', () => {
    const spec = { times: SECONDS, timezone: 'UTC' };
    expect([0, 10_000, 40_000, 86_410_000].map((after) => isNominal(AT + after, spec))).toEqual([
      false,
      true,
      true,
      false,
    ]);
  });

  it.each([
    ['every 1h', { every: '1h' }, [0, 3_600_000], [1_000, 1_800_000]],
    ['every 7m', { every: '7m' }, [AT % 420_000 === 0 ? 0 : 420_000 - (AT % 420_000)], [1_000]],
    ['a cron in Berlin', { cron: '0 3 * * *', timezone: 'Europe/Berlin' }, [0, 86_400_000], [3_600_000]],
  ])('of %s is one of its times, to the second', (_, written, due, other) => {
    for (const after of due) expect(isNominal(AT + after, specOf(written))).toBe(true);
    for (const after of other) expect(isNominal(AT + after, specOf(written))).toBe(false);
    expect(isNominal(AT + (due[0] ?? 0) + 1, specOf(written))).toBe(false);
  });

  it('includes all that the server fires at the changes of the clocks', () => {
    const fired = CLOCK_CHANGES.flatMap(({ zone, cron, fires }) => fires.map((time) => ({ zone, cron, time })));
    expect(fired.length).toBeGreaterThan(10);
    for (const { zone, cron, time } of fired) {
      // `Mon 2027-03-29 02:30:00 +02:00`
      const [, day = '', hour = '', offset = ''] = time.split(' ');
      const at = Date.parse(`${day}T${hour}${offset === 'UTC' ? 'Z' : offset}`);
      expect({ zone, cron, time, is: isNominal(at, specOf({ cron, timezone: zone })) }).toMatchObject({ is: true });
    }
  });
});

describe('the nominal time', () => {
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
      const spec = { ...specOf({ cron: '* * * * *', jitter: '5m' }), times: SECONDS };
      const minute = Date.UTC(2026, 11, 1, 6, 41);
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
});

describe('a second of its own', () => {
  const AT = Date.UTC(2026, 10, 25, 22, 42);

  describe('a trigger', () => {
    it.each([
      ['waits for nothing in a second of its own', -10_440, 0],
      ['waits until a due second is over', 0, 1_000],
      ['waits until a due second is over', 999, 1],
      ['waits for a due second that comes before the server takes it', -440, 1_440],
      ['waits for nothing if the server takes it before the due second', -900.5, 0],
    ])('%s (%d ms)', (_, after, waitMs) => {
      for (const spec of [specOf({ every: '30s' }), specOf({ cron: '42 * * * *' })]) {
        expect(waitForOwnSecond(AT + after, spec)).toBe(waitMs);
      }
    });

    it('finds the second between due times that follow each other soon, and waits for none if there is no such', () => {
      for (const after of [0, 500, 1_400]) {
        const now = AT + after;
        expect((now + waitForOwnSecond(now, specOf({ every: '2s' }))) % 2_000).toBe(1_000);
      }
      expect(waitForOwnSecond(AT + 1_050, specOf({ every: '2s' }))).toBe(0);
      expect(waitForOwnSecond(AT, specOf({ every: '1s' }))).toBe(0);
    });
  });
});
