import { describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';
import {
  dueTimesBetween,
  isScheduledAt,
  nominalTimeOf,
  waitForOwnSecond,
} from '../../../policy/schedules/due-times.ts';
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
    expect([0, 10_000, 40_000, 86_410_000].filter((after) => isScheduledAt(AT + after, spec))).toEqual([
      10_000, 40_000,
    ]);
  });

  it.each([
    ['every 1h', { every: '1h' }, [0, 3_600_000], [1_000, 1_800_000]],
    ['every 7m', { every: '7m' }, [AT % 420_000 === 0 ? 0 : 420_000 - (AT % 420_000)], [1_000]],
    ['a cron in Berlin', { cron: '0 3 * * *', timezone: 'Europe/Berlin' }, [0, 86_400_000], [3_600_000]],
  ])('of %s is one of its times, to the second', (_, written, due, other) => {
    for (const after of due) expect(isScheduledAt(AT + after, specOf(written))).toBe(true);
    for (const after of other) expect(isScheduledAt(AT + after, specOf(written))).toBe(false);
    expect(isScheduledAt(AT + (due[0] ?? 0) + 1, specOf(written))).toBe(false);
  });

  it('includes all that the server fires at the changes of the clocks', () => {
    const fired = CLOCK_CHANGES.flatMap(({ zone, cron, fires }) => fires.map((time) => ({ zone, cron, time })));
    expect(fired.length).toBeGreaterThan(10);
    for (const { zone, cron, time } of fired) {
      // `Mon 2027-03-29 02:30:00 +02:00`
      const [, day = '', hour = '', offset = ''] = time.split(' ');
      const at = Date.parse(`${day}T${hour}${offset === 'UTC' ? 'Z' : offset}`);
      expect({ zone, cron, time, is: isScheduledAt(at, specOf({ cron, timezone: zone })) }).toMatchObject({ is: true });
    }
  });
});

const MINUTE_MS = 60_000;

describe('the times at which a schedule is due in a range', () => {
  it.each([
    ['seconds', SECONDS, 'UTC'],
    ['minutes', specOf({ cron: '*/7 1,2 1 * *' }).times, 'Australia/Lord_Howe'],
    ['multiples', specOf({ every: '90s' }).times, 'UTC'],
  ])('are those by %s after its start and up to its end', (_, times, timezone) => {
    const all: number[] = [];
    for (let at = AT - 12 * 60 * MINUTE_MS; at <= AT; at += 1_000) {
      if (isScheduledAt(at, { times, timezone })) all.push(at);
    }
    expect(all.length).toBeGreaterThan(3);
    const [first = 0] = all;
    const last = all.at(-1) ?? 0;
    expect([...dueTimesBetween(first - 1, last, { times, timezone })]).toEqual(all);
    expect([...dueTimesBetween(first, last - 1, { times, timezone })]).toEqual(all.slice(1, -1));
  });

  it('are found soon, also those of years of a timezone, and are the same as one by one around each change of the clocks', () => {
    const spec = specOf({ cron: '30 2 * * *', timezone: 'Europe/Berlin' });
    const format = jest.spyOn(Intl.DateTimeFormat.prototype, 'formatToParts');
    const [from, until] = [Date.UTC(2026, 0, 1), Date.UTC(2027, 5, 1)];
    expect([...dueTimesBetween(from, until, spec)]).toHaveLength(517);
    // About one an hour.
    expect(format.mock.calls.length).toBeLessThan((1.2 * (until - from)) / (60 * MINUTE_MS));
    format.mockRestore();
    for (const { zone, cron, from: start, to } of CLOCK_CHANGES) {
      const of = specOf({ cron, timezone: zone });
      const all: number[] = [];
      for (let at = Date.parse(start) + MINUTE_MS; at <= Date.parse(to); at += MINUTE_MS) {
        if (isScheduledAt(at, of)) all.push(at);
      }
      expect([...dueTimesBetween(Date.parse(start), Date.parse(to), of)]).toEqual(all);
    }
  });
});

describe('the time that a firing was scheduled for', () => {
  const secondly = { ...specOf({ cron: '* * * * *', jitter: '5m' }), times: SECONDS };
  const minute = Date.UTC(2026, 11, 1, 6, 41);
  const first = Date.UTC(2026, 2, 1);
  /** Kept from a version that took any jitter; its day never comes. */
  const never = { ...specOf({ cron: '0 0 31 2 *' }), jitterMs: 5_200 * 7 * 24 * 60 * MINUTE_MS };
  /** 2:15 does not exist on that day, and Temporal fires at 2:45. */
  const skipped = Date.parse('2027-10-03T02:46:10+11:00');
  const howe = specOf({ cron: '15 2 * * *', timezone: 'Australia/Lord_Howe', jitter: '5m' });
  const late = first + 27 * 24 * 60 * MINUTE_MS + 123_456;

  it.each([
    ['is that at which it comes, to the second, without jitter', AT + 7, specOf({ cron: '0 2 * * *' }), AT],
    [
      'is a multiple of the length',
      AT + 4 * 3_600_000 + 41_250,
      specOf({ every: '6h', jitter: '1h' }),
      AT + 4 * 3_600_000,
    ],
    ['is found within the longest jitter', late, specOf({ cron: '0 0 1 * *', jitter: '4w' }), first],
    ['is looked for no further back', first, never, first],
    ['is the last of several seconds of a minute', minute + 9_999, secondly, minute - 20_000],
    ['is the one that is not after it', minute + 39_999, secondly, minute + 10_000],
    ['is that very second', minute + 40_000, secondly, minute + 40_000],
    ['is that at which it comes where the calendar has none', skipped, howe, skipped],
  ])('%s', (_, at, spec, nominal) => expect(nominalTimeOf(at, spec)).toBe(nominal));

  it('is the latest of the calendar, in the timezone of the schedule', () => {
    const spec = specOf({ cron: '30 2,3 * * mon', timezone: 'Europe/Berlin', jitter: '2h' });
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 60 * MINUTE_MS - 1 }), (lateMs) => {
        // Monday, 2:30 in Berlin.
        const at = Date.UTC(2026, 6, 6, 0, 30);
        expect(nominalTimeOf(at + lateMs, spec)).toBe(at);
        expect(nominalTimeOf(at + 60 * MINUTE_MS + lateMs, spec)).toBe(at + 60 * MINUTE_MS);
      }),
      { numRuns: 20 },
    );
  });
});

describe('a trigger', () => {
  const DUE = Date.UTC(2026, 10, 25, 22, 42);

  it.each([
    ['waits for nothing in a second of its own', -10_440, 0],
    ['waits until a due second is over', 0, 1_000],
    ['waits until a due second is over', 999, 1],
    ['waits for a due second that comes before the server takes it', -440, 1_440],
    ['waits for nothing if the server takes it before the due second', -900.5, 0],
  ])('%s (%d ms)', (_, after, waitMs) => {
    for (const spec of [specOf({ every: '30s' }), specOf({ cron: '42 * * * *' })])
      expect(waitForOwnSecond(DUE + after, spec)).toBe(waitMs);
  });

  it('finds the second between due times that follow each other soon, and waits for none if there is no such', () => {
    for (const now of [DUE, DUE + 500, DUE + 1_400])
      expect((now + waitForOwnSecond(now, specOf({ every: '2s' }))) % 2_000).toBe(1_000);
    expect(waitForOwnSecond(DUE + 1_050, specOf({ every: '2s' }))).toBe(0);
    expect(waitForOwnSecond(DUE, specOf({ every: '1s' }))).toBe(0);
  });
});
