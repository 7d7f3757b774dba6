/** @slow */
import { beforeAll, describe, expect, it } from '@jest/globals';
import { triggerSchedule } from '../../client/schedules/control-schedule.ts';
import { saying } from '../support/batch-end.ts';
import { ScheduleWorld, type SeenOccurrence } from '../support/schedule-world.ts';
import { waitFor } from '../support/wait-for.ts';

const ROWS = 20;
/** The shortest catch-up time that there is. */
const CATCH_UP_MS = 10_000;
/** Three schedules have it, and each firing is a batch: a slow machine must keep up with them. */
const EVERY_MS = 5_000;
/** Leaves time to kill a server, and to see it run again. */
const OFTEN_MS = 10_000;

describe('a schedule', () => {
  let here: ScheduleWorld;

  beforeAll(async () => {
    here = await ScheduleWorld.open(95, ROWS);
  });

  it('whose worker is killed in a firing goes on with the next one, and nothing is charged twice', async () => {
    const { world } = here;
    await here.create('nightly', { cron: '0 0 29 2 *' }, { rate: 10 });
    await triggerSchedule(here.place, 'nightly');
    await world.untilCharged(5);
    await here.killUp();
    expect(await here.schedule('list')).toContain('nightly');
    await here.restartUp();
    const [one, ...others] = await here.untilOver('nightly', 1);
    expect(others).toEqual([]);
    if (one === undefined) throw new Error('There is no occurrence.');
    await here.untilWritten([one]);
    expect(['complete', 'unknown']).toContain(one.exit);
    expect((await world.results(one.batch)).size).toBe(ROWS);
  });

  it('whose server is killed at the moment of firing, and one of its workers at work, makes one batch for each time', async () => {
    const { world } = here;
    const worker = await world.startWorking(['worker']);
    const until = Math.ceil(Date.now() / OFTEN_MS) * OFTEN_MS + 5.5 * OFTEN_MS;
    const spec = { every: '10s', catchUp: '1d', until: new Date(until).toISOString() };
    await here.create('often', { ...spec, overlap: 'buffer-all' });
    const due = await here.firingsUntil('often', until);
    // Two of them are not waited for; the worker is killed at the second one.
    expect(due.length).toBeGreaterThanOrEqual(4);
    for (const [index, time] of due.slice(0, -2).entries()) {
      // At the moment itself, and when the firing has begun and its rows are being paid.
      const charged = world.simulator.ledger().length;
      if (index % 2 === 0) await waitFor(() => Date.now() >= time);
      else await world.untilCharged(charged + 1);
      await world.killServer();
      if (index === 1) worker.child.kill('SIGKILL');
    }
    await worker.ended;
    const all = await here.until('often', (some) =>
      due.every((at) => some.some((one) => one.at === at && one.state === 'ended')),
    );
    expect(all.map(({ at }) => at)).toEqual(due);
    await here.untilWritten(all);
    for (const { batch, exit } of all) {
      expect(['complete', 'unknown']).toContain(exit);
      expect((await world.results(batch)).size).toBe(ROWS);
    }
  });

  it('fires after an outage what is not later than its catch-up time, and lists the rest as missed', async () => {
    await here.world.write('one.csv', 'id,kind,text,voice\nr1,tts,Good morning.,narrator\n');
    const every = { every: '5s', overlap: 'allow' };
    await here.create('late', { ...every, catchUp: '1h' }, { manifest: 'one.csv' });
    await here.create('strict', { ...every, catchUp: '10s' }, { manifest: 'one.csv' });
    await here.create('newest', { ...every, overlap: 'cancel', catchUp: '1h' }, { manifest: 'one.csv' });
    for (const name of ['late', 'strict', 'newest'])
      await here.until(name, (all) => all.some(({ state }) => state === 'ended'));
    await here.cutPower();
    const gone = Date.now();
    await waitFor(() => Date.now() > gone + CATCH_UP_MS + 2 * EVERY_MS);
    const back = Date.now();
    await here.restorePower();

    for (const { at, state, exit } of await settledUntil('late', back)) {
      // What was on the wire when the power was cut may be in doubt.
      const end = at < gone && exit === 'unknown' ? 'complete' : exit;
      expect({ at, state, end }).toEqual({ at, state: 'ended', end: 'complete' });
    }
    const missed = (await settledUntil('strict', back)).filter(({ at }) => at > gone && at < back - CATCH_UP_MS);
    expect(missed.length).toBeGreaterThan(0);
    for (const { batch, cause, reason } of missed) {
      expect({ cause, reason }).toEqual({ cause: 'missed', reason: saying('catch-up time of 10s') });
      expect(here.world.charges(batch).size).toBe(0);
    }
    // The server handles those of the outage at once, and begins only the last.
    const replaced = (await settledUntil('newest', back)).filter(({ at }) => at > gone && at < back - EVERY_MS);
    expect(replaced.length).toBeGreaterThan(0);
    for (const { batch, cause, reason } of replaced) {
      expect({ cause, reason }).toEqual({ cause: 'overlap', reason: saying('took the place of this one') });
      expect(here.world.charges(batch).size).toBe(0);
    }
  });

  /**
   * Waits until each due time up to a moment has ended or was skipped. Expects that none is left out, and none is there twice. (Of the last
   * seconds, only those that have begun are listed.)
   */
  async function settledUntil(name: string, moment: number): Promise<readonly SeenOccurrence[]> {
    const due = await here.firingsUntil(name, moment);
    const isSettled = ({ state }: SeenOccurrence): boolean => state === 'ended' || state === 'skipped';
    const all = await here.until(name, (some) =>
      due.every((time) => some.some((one) => one.at === time && isSettled(one))),
    );
    const settled = all.filter(({ at }) => at <= moment);
    expect(settled.map(({ at }) => at)).toEqual(due);
    return settled;
  }
});
