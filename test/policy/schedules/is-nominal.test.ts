import { describe, expect, it } from '@jest/globals';
import { isNominal } from '../../../policy/schedules/is-nominal.ts';
import { CLOCK_CHANGES } from '../../support/clock-changes.ts';
import { specOf } from '../../support/schedule-on-record.ts';

const AT = Date.UTC(2026, 11, 1, 2);

describe('a time at which a schedule is due', () => {
  it.each([
    ['every 1h', { every: '1h' }, [0, 3_600_000], [1_000, 1_800_000]],
    ['every 7m', { every: '7m' }, [AT % 420_000 === 0 ? 0 : 420_000 - (AT % 420_000)], [1_000]],
    ['a cron in Berlin', { cron: '0 3 * * *', timezone: 'Europe/Berlin' }, [0, 86_400_000], [3_600_000]],
    ['a calendar of seconds', { calendar: 'second=*/5 minute=* hour=*' }, [0, 5_000], [1_000]],
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
