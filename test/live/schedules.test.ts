/** @slow */
import { existsSync } from 'node:fs';
import { beforeAll, expect } from '@jest/globals';
import { showSchedule, timeInZone } from '../../client/schedules/schedule-view.ts';
import { deleteSchedule, triggerSchedule } from '../../client/schedules/control-schedule.ts';
import { CLOCK_CHANGES, type ClockChange } from '../support/clock-changes.ts';
import { saying } from '../support/batch-end.ts';
import { ScheduleWorld } from '../support/schedule-world.ts';
import { testsAtOnce } from '../support/tests-at-once.ts';
import { waitFor } from '../support/wait-for.ts';

const ROWS = 4;
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

let here: ScheduleWorld;
beforeAll(async () => {
  here = await ScheduleWorld.open(91, ROWS);
});

/** When a schedule fires in a range, as it is shown; by the server's word. */
async function firingsOf({ zone, cron, from, to }: ClockChange): Promise<readonly string[]> {
  const name = `${zone} ${cron} ${from}`.replaceAll(/[^\w]+/g, '-');
  await here.create(name, { cron, timezone: zone });
  const times = await here.firings(name, Date.parse(from), Date.parse(to));
  await deleteSchedule(here.place, name);
  return times.map((at) => timeInZone(at, zone));
}

testsAtOnce({
  'fires by itself, each time as a batch of its own, and once it is paused only by hand': async () => {
    await here.create('often', { every: '2s', overlap: 'buffer-all' });
    await here.until('often', ({ length }) => length >= 2);
    await here.schedule('pause', 'often', '--note', 'new voices');
    const { next, paused, note } = (await showSchedule(here.place, 'often')).view;
    expect({ paused, note }).toEqual({ paused: true, note: 'new voices' });
    const before = await here.untilOver('often', 2);
    await here.untilWritten(before);
    for (const { batch, at, exit } of before) {
      expect(batch).toBe(`often.${new Date(at).toISOString().slice(0, 19).replaceAll(':', '-')}Z`);
      expect(exit).toBe('complete');
      expect((await here.world.results(batch)).size).toBe(ROWS);
    }
    // It would have fired by then; what it is told later is done later.
    await waitFor(() => Date.now() > Date.parse(next[1] ?? '') + 2_000);
    await here.schedule('trigger', 'often');
    const after = await here.untilOver('often', before.length + 1);
    expect(after.slice(0, -1)).toEqual(before);
    expect(after).toHaveLength(before.length + 1);
    for (const { batch } of after) expect(here.world.charges(batch).size).toBe(ROWS);
  },

  'backfilled is one batch for each time, however often that is asked; a bad manifest fails its occurrence alone':
    async () => {
      await here.writeManifest('hourly.csv');
      // It is due half an hour before and after now, so that it does not fire by itself while the test runs.
      const last = Math.floor(Date.now() / MINUTE_MS) * MINUTE_MS - 30 * MINUTE_MS;
      const cron = `${String(new Date(last).getUTCMinutes())} * * * *`;
      await here.create('hourly', { cron, timezone: 'UTC' }, { manifest: 'hourly.csv' });
      const from = last - 2 * HOUR_MS;
      const iso = (at: number): string => new Date(at).toISOString();
      const range = ['--from', iso(from), '--to', iso(from + 2 * HOUR_MS)];
      await here.schedule('backfill', 'hourly', ...range);
      const first = await here.untilOver('hourly', 3);
      expect(first.map(({ at }) => at)).toEqual([from, from + HOUR_MS, from + 2 * HOUR_MS]);
      await here.untilWritten(first);

      await here.spoilManifest('hourly.csv');
      await here.schedule('backfill', 'hourly', ...range);
      await triggerSchedule(here.place, 'hourly');
      const failed = (await here.untilOver('hourly', 4)).at(-1);
      expect(failed).toMatchObject({ state: 'failed', reason: saying('has a problem') });
      expect(failed?.reason).toContain('line 2');
      expect(existsSync(here.world.path('out', String(failed?.batch)))).toBe(false);

      await here.writeManifest('hourly.csv');
      await waitFor(() => Date.now() >= (failed?.at ?? 0) + 1_000);
      await triggerSchedule(here.place, 'hourly');
      const all = await here.untilOver('hourly', 5);
      expect(all.at(-1)).toMatchObject({ state: 'ended', exit: 'complete' });
      expect(all.map(({ batch }) => here.world.charges(batch).size)).toEqual([ROWS, ROWS, ROWS, 0, ROWS]);
    },

  'fires at the changes of the clocks as documented': async () => {
    for (const change of CLOCK_CHANGES) {
      const { zone, cron, fires } = change;
      expect({ zone, cron, fires: await firingsOf(change) }).toEqual({ zone, cron, fires });
    }
    // Whoever asks for a range is shown the same.
    await here.schedule('create', 'berlin', 'lines.csv', '--cron', '30 2 * * *', '--timezone', 'Europe/Berlin');
    const range = ['--from', '2027-03-28T00:00Z', '--to', '2027-03-29T12:00Z'];
    expect(await here.schedule('preview', 'berlin', ...range)).toBe('Mon 2027-03-29 02:30:00 +02:00\n');
  },

  'is changed, listed and deleted; what it cannot be is refused': async () => {
    const { schedule, place, world } = { schedule: here.schedule.bind(here), place: here.place, world: here.world };
    const create = (...words: readonly string[]): Promise<unknown> => world.run(['schedule', 'create', ...words]);
    const weekly = ['weekly', 'lines.csv', '--cron', '0 6 * * mon', '--timezone', 'Europe/Berlin', '--budget', '50'];
    expect(await create(...weekly)).toMatchObject({ code: 0 });
    await schedule('update', 'weekly', '--every', '7d', '--runs', '2');
    expect(JSON.parse(await schedule('show', 'weekly', '--json'))).toMatchObject({
      times: 'every 7d',
      timezone: 'Europe/Berlin',
      runs_left: 2,
      budget: 50,
      worker: true,
      occurrences: [],
    });
    expect(JSON.parse(await schedule('list', '--json'))).toContainEqual(
      expect.objectContaining({ schedule: 'weekly', worker: true, last: null }),
    );
    expect(await create('weekly', 'lines.csv', '--every', '1d')).toMatchObject({ code: 2, stderr: saying('already') });
    expect(await create('w', 'lines.csv', '--every', '1d', '--timezone', 'Europe/Berln')).toMatchObject({
      code: 2,
      stderr: saying('--timezone: expected a name of the IANA database'),
    });
    expect(await world.run(['schedule', 'update', 'weekly', '--budget', '9'])).toMatchObject({
      code: 2,
      stderr: saying('--budget needs --manifest'),
    });
    await schedule('pause', 'weekly');
    expect((await showSchedule(place, 'weekly')).view.paused).toBe(true);
    await schedule('resume', 'weekly');
    expect((await showSchedule(place, 'weekly')).view).toMatchObject({ paused: false, note: 'resumed by hand' });
    await schedule('delete', 'weekly');
    expect(await world.run(['schedule', 'show', 'weekly'])).toMatchObject({
      code: 2,
      stderr: saying('There is no schedule "weekly" here.'),
    });
  },
});
