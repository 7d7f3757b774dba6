/** @slow */
import { existsSync } from 'node:fs';
import { beforeAll, expect } from '@jest/globals';
import { showSchedule } from '../../client/schedules/schedule-view.ts';
import { backfillSchedule, pauseSchedule, triggerSchedule } from '../../client/schedules/control-schedule.ts';
import { saying } from '../support/batch-end.ts';
import { ScheduleWorld } from '../support/schedule-world.ts';
import { testsAtOnce } from '../support/tests-at-once.ts';
import { waitFor } from '../support/wait-for.ts';

const ROWS = 2;
const EVERY_MS = 2_000;

let here: ScheduleWorld;
beforeAll(async () => {
  here = await ScheduleWorld.open(94, ROWS);
});

testsAtOnce({
  'jitter: each firing comes later than its due time, and once': async () => {
    const runs = 3;
    await here.create('jitter', { every: '3s', jitter: '2s', runs, overlap: 'allow' });
    const madeAt = await here.madeAt('jitter');
    const dueOf = (firesAt: number): number => firesAt - (firesAt % 3_000);
    // What was due before it was made, and would fire after that, does not.
    const fires = (await here.firings('jitter', madeAt, madeAt + (runs + 2) * 3_000))
      .filter((at) => dueOf(at) > madeAt)
      .slice(0, runs);
    const due = fires.map(dueOf);
    const first = dueOf(madeAt) + 3_000;
    expect(due).toEqual(Array.from({ length: runs }, (_, n) => first + n * 3_000));
    // By less than the jitter; and one may draw 0, but not all.
    expect(fires.every((at) => at - dueOf(at) < 2_000)).toBe(true);
    expect(fires).not.toEqual(due);
    const occurrences = await here.untilSettled('jitter', runs);
    expect(occurrences.map(({ at, state }) => ({ at, state }))).toEqual(due.map((at) => ({ at, state: 'ended' })));
    for (const { batch, at } of occurrences) {
      const { createdAt } = (await here.ledger.findBatch(batch)) ?? { createdAt: 0 };
      expect(createdAt).toBeGreaterThanOrEqual(fires[due.indexOf(at)] ?? Infinity);
      expect(here.world.charges(batch).size).toBe(ROWS);
    }
  },

  'pause-on-failure: it pauses after an occurrence without a batch, and lists what then did not fire': async () => {
    await here.spoilManifest('bad.csv');
    await here.create('fails', { every: '2s', pauseOnFailure: true }, { manifest: 'bad.csv' });
    await waitFor(async () => (await showSchedule(here.place, 'fails')).view.paused, undefined, 250);
    const occurrences = await here.until(
      'fails',
      (all) => all.filter(({ cause }) => cause === 'paused-on-failure').length >= 2,
    );
    const failed = occurrences.filter(({ state }) => state === 'failed');
    expect(failed.length).toBeGreaterThan(0);
    expect(failed[0]).toMatchObject({ at: occurrences[0]?.at, reason: saying('has a problem') });
    const [first] = occurrences;
    expect(occurrences.map(({ at }) => at)).toEqual(occurrences.map((_, n) => (first?.at ?? 0) + n * EVERY_MS));
    // For those of the first seconds, the occurrence that had just ended may be named as the reason.
    for (const { state, reason } of occurrences.slice(failed.length)) {
      expect({ state, reason }).toEqual({ state: 'skipped', reason: expect.any(String) });
    }
    expect(occurrences.some(({ batch }) => here.world.charges(batch).size > 0)).toBe(false);
    expect(existsSync(here.world.path('out', first?.batch ?? ''))).toBe(false);
    // It can be resumed once the manifest is right.
    await here.writeManifest('bad.csv');
    await here.schedule('resume', 'fails');
    await here.until('fails', (all) => all.some(({ state }) => state === 'ended'));
    await here.schedule('delete', 'fails');
  },

  'pause-on-failure: a trigger counts, too, unless it may run beside others, which Temporal does not follow':
    async () => {
      await here.spoilManifest('hand.csv');
      const seldom = { cron: '0 0 29 2 *', pauseOnFailure: true };
      // One schedule each: a second trigger that may not run beside the first is skipped while that has not quite ended.
      const trigger = async (name: string, overlap: 'allow' | 'skip'): Promise<void> => {
        await here.create(name, seldom, { manifest: 'hand.csv' });
        await triggerSchedule(here.place, name, overlap);
        await here.until(name, (all) => all.some(({ state }) => state === 'failed'));
      };
      const isPaused = async (name: string): Promise<boolean> => (await showSchedule(here.place, name)).view.paused;
      await trigger('beside', 'allow');
      await trigger('alone', 'skip');
      await waitFor(() => isPaused('alone'), undefined, 250);
      expect(await isPaused('beside')).toBe(false);
    },

  'runs: it fires so many times and no more, and that is in order': async () => {
    await here.create('twice', { every: '2s', runs: 2, overlap: 'buffer-all' });
    const occurrences = await here.untilOver('twice', 2);
    const [first, second] = occurrences;
    expect(second?.at).toBe((first?.at ?? 0) + EVERY_MS);
    // Three more times, and what a survey waits before it calls one late.
    await waitFor(() => Date.now() > (second?.at ?? 0) + 3 * EVERY_MS + 10_000);
    expect(await here.occurrences('twice')).toEqual(occurrences);
    expect(JSON.parse(await here.schedule('show', 'twice', '--json'))).toMatchObject({ runs_left: 0, fired: 2 });
    expect(await here.world.run(['schedule', 'check', 'twice'])).toMatchObject({ code: 0 });
    // By hand it still fires.
    await triggerSchedule(here.place, 'twice');
    await here.until('twice', (all) => all.some(({ at, exit }) => at > (second?.at ?? 0) && exit === 'complete'));
  },

  'paused: what was due meanwhile is listed, and a trigger and a backfill make their batches all the same':
    async () => {
      await here.create('often', { every: '2s' });
      await pauseSchedule(here.place, 'often', 'new voices');
      const skipped = await here.until('often', (some) => some.filter(({ cause }) => cause === 'paused').length >= 2);
      for (const { reason } of skipped.filter(({ cause }) => cause === 'paused')) {
        expect(reason).toBe('The schedule was paused: new voices');
      }
      // A backfill makes up for one of them.
      const missed = skipped.find(({ cause }) => cause === 'paused');
      if (missed === undefined) throw new Error('Nothing was skipped.');
      await backfillSchedule(here.place, 'often', { from: missed.at, to: missed.at });
      await here.until('often', (some) => some.some(({ at, exit }) => at === missed.at && exit === 'complete'));
      await triggerSchedule(here.place, 'often');
      const made = await here.untilOver('often', 2);
      for (const { batch } of made) expect(here.world.charges(batch).size).toBe(ROWS);
      expect((await showSchedule(here.place, 'often')).view.paused).toBe(true);
    },
});
