/** @slow */
import { afterAll, beforeAll, expect } from '@jest/globals';
import { ScheduleWorld } from '../support/schedule-world.ts';
import { testsAtOnce } from '../support/tests-at-once.ts';

const ROWS = 4;

let here: ScheduleWorld;
/** What one firing costs, in credits. */
let price: number;

beforeAll(async () => {
  here = await ScheduleWorld.create(94, ROWS);
  const { stdout } = await here.world.run(['plan', 'lines.csv', '--json']);
  price = (JSON.parse(stdout) as { readonly credits: number }).credits;
});
afterAll(() => here.close());

/** Makes a schedule of which each firing pays for the same rows: that is what the budget is spent on. */
function create(name: string, ...words: readonly string[]): Promise<string> {
  return here.schedule('create', name, 'lines.csv', '--cache', 'off', ...words);
}

testsAtOnce({
  'the budget of a month is spent run by run; the last pays a part, the others are listed with their reason, and the next month begins anew':
    async () => {
      const credits = String(price * 1.5);
      await create('nightly', '--cron', '0 2 * * *', '--timezone', 'Europe/Berlin', '--budget-month', credits);
      // 2:00 in Berlin, in winter time: on three days of October, and on the first of November.
      await here.schedule('backfill', 'nightly', '--from', '2026-10-29T00:00Z', '--to', '2026-11-01T12:00Z');
      const [first, second, third, fourth, ...others] = await here.untilSettled('nightly', 4);
      expect(others).toEqual([]);
      expect(first).toMatchObject({ at: Date.parse('2026-10-29T01:00:00Z'), state: 'ended', charged: price });
      expect(second?.charged).toBeGreaterThan(0);
      expect(second?.charged).toBeLessThanOrEqual(price / 2);
      expect(third).toMatchObject({ state: 'skipped', cause: 'month-budget' });
      expect(third?.reason).toContain(`The budget of ${credits} credits for 2026-10 is used up`);
      expect(fourth).toMatchObject({ at: Date.parse('2026-11-01T01:00:00Z'), state: 'ended', charged: price });
      expect(here.world.charges(third?.batch).size).toBe(0);
      expect((await here.world.run(['schedule', 'check', 'nightly', '--since', '1000d'])).code).toBe(10);
      // More for the month: the one that was skipped runs after all.
      await here.schedule('update', 'nightly', '--budget-month', String(price * 3));
      await here.schedule('backfill', 'nightly', '--from', '2026-10-31T00:00Z', '--to', '2026-10-31T12:00Z');
      await here.until('nightly', (all) => all[2]?.state === 'ended');
      expect(here.world.doubleCharges()).toEqual([]);
    },
});
