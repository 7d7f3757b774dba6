/** @slow */
import { existsSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Client, Connection } from '@temporalio/client';
import { showSchedule } from '../../client/schedules/look-at-schedules.ts';
import type { OccurrenceView } from '../../client/schedules/occurrence-views.ts';
import { triggerSchedule } from '../../client/schedules/steer-schedule.ts';
import { joinServer, type Membership } from '../../embedded/join-server.ts';
import { firingIdOf, scheduleIdOf } from '../../contract/schedule.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { openLedger } from '../../ledger/open-ledger.ts';
import { LiveWorld, mixedManifest, type Running } from '../support/live-world.ts';
import { waitFor } from '../support/wait-for.ts';

const ROWS = 4;
const HOUR_MS = 3_600_000;
/** Never fires by itself while a test runs. */
const SELDOM = ['--calendar', 'year=2099'];

/** A matcher with a type. */
const saying = (text: string): unknown => expect.stringContaining(text);

describe('a schedule', () => {
  let world: LiveWorld;
  let up: Running;
  let membership: Membership;
  let ledger: Ledger;
  let client: Client;

  beforeEach(async () => {
    world = await LiveWorld.create({ seed: 91, createMs: [20, 50], jobMs: [100, 400] });
    await world.prepare(ROWS, ['tts']);
    up = world.start(['up']);
    await up.said('Working for account');
    membership = await joinServer({ home: world.path('.voxbatch'), env: process.env, say: () => undefined });
    client = new Client({ connection: await Connection.connect({ address: membership.address }) });
    ledger = await openLedger(world.path('.voxbatch', 'ledger.db'));
  });
  afterEach(async () => {
    await ledger.close();
    await client.connection.close();
    await membership.leave();
    up.child.kill('SIGTERM');
    expect(await up.ended).toMatchObject({ code: 0 });
    await world.close();
  });

  function place(): Parameters<typeof showSchedule>[0] {
    return { temporal: { client, namespace: 'default' }, ledger };
  }

  async function schedule(...words: readonly string[]): Promise<string> {
    const { code, stdout, stderr } = await world.run(['schedule', ...words]);
    if (code !== 0) throw new Error(`schedule ${words.join(' ')} ended with ${String(code)}: ${stderr}`);
    return stdout;
  }

  /** Waits until so many occurrences that took place are over and none runs; returns them, the oldest first. */
  async function untilOver(name: string, count: number): Promise<readonly OccurrenceView[]> {
    let all: readonly OccurrenceView[] = [];
    await waitFor(
      async () => {
        const { occurrences } = await showSchedule(place(), name, { from: 0 });
        all = occurrences.filter(({ state }) => state !== 'skipped');
        return all.length >= count && all.every(({ state }) => state === 'ended' || state === 'failed');
      },
      undefined,
      200,
    );
    return all.toReversed();
  }

  /** Waits until each of these occurrences has its files, which come a moment after its last row. */
  async function untilWritten(occurrences: readonly OccurrenceView[]): Promise<void> {
    await waitFor(() => occurrences.every(({ batch }) => existsSync(world.path('out', batch, 'summary.json'))));
  }

  it('fires by itself, each time as a batch of its own, and once it is paused only by hand', async () => {
    await schedule('create', 'often', 'lines.csv', '--every', '2s', '--overlap', 'buffer-all');
    await waitFor(async () => (await showSchedule(place(), 'often')).occurrences.length >= 2, undefined, 200);
    await schedule('pause', 'often', '--note', 'new voices');
    const { next, isPaused, note } = await showSchedule(place(), 'often');
    expect({ isPaused, note }).toEqual({ isPaused: true, note: 'new voices' });
    const before = await untilOver('often', 2);
    await untilWritten(before);
    for (const { batch, at, exit } of before) {
      expect(batch).toBe(`often.${new Date(at).toISOString().slice(0, 19).replaceAll(':', '-')}Z`);
      expect(exit).toBe('complete');
      expect((await world.results(batch)).size).toBe(ROWS);
    }
    // It would have fired by then; what it is told later is done later.
    await waitFor(() => Date.now() > (next[1] ?? 0) + 1_000, undefined, 200);
    await schedule('trigger', 'often');
    const after = await untilOver('often', before.length + 1);
    expect(after.slice(0, -1)).toEqual(before);
    expect(after).toHaveLength(before.length + 1);
    expect(world.charges().size).toBe(after.length * ROWS);
    expect(world.doubleCharges()).toEqual([]);
  });

  it('backfilled is one batch for each time, however often that is asked; a bad manifest fails its occurrence alone', async () => {
    await schedule('create', 'hourly', 'lines.csv', '--every', '1h');
    const from = Math.floor(Date.now() / HOUR_MS) * HOUR_MS - 3 * HOUR_MS;
    const iso = (at: number): string => new Date(at).toISOString();
    const range = ['--from', iso(from), '--to', iso(from + 2 * HOUR_MS)];
    await schedule('backfill', 'hourly', ...range);
    const first = await untilOver('hourly', 3);
    expect(first.map(({ at }) => at)).toEqual([from, from + HOUR_MS, from + 2 * HOUR_MS]);
    await untilWritten(first);
    expect(world.charges().size).toBe(3 * ROWS);

    await world.write('lines.csv', 'id,kind,text,voice\nr1,tts,,narrator\n');
    await schedule('backfill', 'hourly', ...range);
    await triggerSchedule(place(), 'hourly');
    const failed = (await untilOver('hourly', 4)).at(-1);
    expect(failed).toMatchObject({ state: 'failed', reason: saying('has a problem') });
    expect(failed?.reason).toContain('line 2');
    expect(existsSync(world.path('out', String(failed?.batch)))).toBe(false);

    await world.write('lines.csv', mixedManifest(ROWS, ['tts']));
    await waitFor(() => Date.now() >= (failed?.at ?? 0) + 1_000);
    await triggerSchedule(place(), 'hourly');
    expect((await untilOver('hourly', 5)).at(-1)).toMatchObject({ state: 'ended', exit: 'complete' });
    expect(world.charges().size).toBe(4 * ROWS);
    expect(world.doubleCharges()).toEqual([]);
  });

  it('whose worker is killed in a firing goes on with the next one, and nothing is charged twice', async () => {
    const rows = 40;
    await world.write('lines.csv', mixedManifest(rows, ['tts']));
    await schedule('create', 'nightly', 'lines.csv', ...SELDOM, '--rate', '20');
    await triggerSchedule(place(), 'nightly');
    await world.untilCharged(5);
    up.child.kill('SIGKILL');
    await up.ended;
    expect(await world.run(['schedule', 'list'])).toMatchObject({ code: 0, stdout: saying('nightly') });
    up = world.start(['up']);
    await up.said('Working for account');
    const [one, ...others] = await untilOver('nightly', 1);
    expect(others).toEqual([]);
    if (one === undefined) throw new Error('There is no occurrence.');
    await untilWritten([one]);
    expect(['complete', 'unknown']).toContain(one.exit);
    expect((await world.results(one.batch)).size).toBe(rows);
    expect(world.doubleCharges()).toEqual([]);
  });

  it('with the overlap policy cancel stops the batch of before, and its commands steer a batch as any other', async () => {
    const rows = 60;
    await world.write('lines.csv', mixedManifest(rows, ['tts']));
    await schedule('create', 'nightly', 'lines.csv', ...SELDOM, '--rate', '2', '--overlap', 'cancel');
    await triggerSchedule(place(), 'nightly', 'cancel');
    await world.untilCharged(2);
    const first = (await showSchedule(place(), 'nightly')).occurrences[0];
    if (first === undefined) throw new Error('There is no occurrence.');
    expect(await world.run(['status', first.batch])).toMatchObject({ code: 75 });
    await waitFor(() => Date.now() >= first.at + 1_000);
    await triggerSchedule(place(), 'nightly', 'cancel');
    await waitFor(async () => (await showSchedule(place(), 'nightly')).occurrences.length === 2, undefined, 200);
    expect(await world.status(first.batch)).toMatchObject({ state: 'closed', exit: 'failures' });
    const second = (await showSchedule(place(), 'nightly')).occurrences[0]?.batch ?? '';
    expect(await world.run(['stop', second])).toMatchObject({ code: 0 });
    await untilOver('nightly', 2);
    expect(world.doubleCharges()).toEqual([]);
  });

  it('waits for a batch that is paused without keeping a worker busy, and hears at once that it has ended', async () => {
    await schedule('create', 'nightly', 'lines.csv', ...SELDOM);
    await world.write('lines.csv', mixedManifest(40, ['tts']));
    await schedule('update', 'nightly', '--manifest', 'lines.csv', '--rate', '5');
    await triggerSchedule(place(), 'nightly');
    await world.untilCharged(2);
    const [{ at, batch } = { at: 0, batch: '' }] = (await showSchedule(place(), 'nightly')).occurrences;
    expect(await world.run(['pause', batch])).toMatchObject({ code: 0 });
    const firing = client.workflow.getHandle(firingIdOf(ledger.id, 'nightly', at));
    await waitFor(async () => ((await firing.describe()).raw.pendingActivities ?? []).length === 0, undefined, 200);
    expect(await firing.describe()).toMatchObject({ status: { name: 'RUNNING' } });
    expect(await world.run(['resume', batch])).toMatchObject({ code: 0 });
    expect(await untilOver('nightly', 1)).toMatchObject([{ state: 'ended', exit: 'complete' }]);
    // It looked at its beginning, perhaps once more by its timer, and at the end: not once a second.
    const { events = [] } = await firing.fetchHistory();
    const looks = (events ?? []).filter((event) => event.activityTaskCompletedEventAttributes != null).length - 1;
    expect(looks).toBeLessThan(10);
    expect(world.charges().size).toBe(40);
  });

  it('cancelled while its manifest is loaded sends nothing of it, for nobody else takes up the batch', async () => {
    await schedule('create', 'nightly', 'lines.csv', ...SELDOM, '--overlap', 'cancel');
    const unlock = await ledger.lockForLoading();
    await triggerSchedule(place(), 'nightly', 'cancel');
    await waitFor(async () => (await showSchedule(place(), 'nightly')).occurrences.length === 1, undefined, 200);
    const first = (await showSchedule(place(), 'nightly')).occurrences[0];
    if (first === undefined) throw new Error('There is no occurrence.');
    await waitFor(() => Date.now() >= first.at + 1_000);
    await triggerSchedule(place(), 'nightly', 'cancel');
    const firing = `${scheduleIdOf(ledger.id, 'nightly')}-${new Date(first.at).toISOString().slice(0, 19)}Z`;
    await waitFor(async () => {
      const { events } = await client.workflow.getHandle(firing).fetchHistory();
      return events?.some((event) => event.workflowExecutionCancelRequestedEventAttributes != null) === true;
    });
    unlock();
    await waitFor(async () => {
      const batches = await ledger.listBatches();
      return batches.length === 2 && batches.every(({ state }) => state === 'closed');
    });
    expect((await ledger.counts(first.batch)).outcomes).toMatchObject({ cancelled: ROWS });
    expect(world.charges().size).toBe(ROWS);
    expect(world.doubleCharges()).toEqual([]);
  });

  it('fires at the changes of the clocks as documented', async () => {
    const at = async (zone: string, cron: string, from: string, to: string): Promise<readonly string[]> => {
      const name = `${zone} ${cron}`.replaceAll(/[^\w]+/g, '-').replace(/-$/, '');
      await schedule('create', name, 'lines.csv', '--cron', cron, '--timezone', zone);
      const shown = await schedule('preview', name, '--from', from, '--to', to);
      await schedule('delete', name);
      return shown.trim().split('\n');
    };
    expect(await at('Europe/Berlin', '30 2 * * *', '2027-03-27T00:00Z', '2027-03-29T12:00Z')).toEqual([
      'Sat 2027-03-27 02:30:00 +01:00',
      'Mon 2027-03-29 02:30:00 +02:00',
    ]);
    expect(await at('Europe/Berlin', '30 2 * * *', '2027-10-30T12:00Z', '2027-11-01T12:00Z')).toEqual([
      'Sun 2027-10-31 02:30:00 +01:00',
      'Mon 2027-11-01 02:30:00 +01:00',
    ]);
    expect(await at('America/New_York', '30 2 * * *', '2027-03-13T00:00Z', '2027-03-15T12:00Z')).toEqual([
      'Sat 2027-03-13 02:30:00 -05:00',
      'Mon 2027-03-15 02:30:00 -04:00',
    ]);
    expect(await at('America/New_York', '30 1 * * *', '2027-11-07T00:00Z', '2027-11-08T12:00Z')).toEqual([
      'Sun 2027-11-07 01:30:00 -04:00',
      'Sun 2027-11-07 01:30:00 -05:00',
      'Mon 2027-11-08 01:30:00 -05:00',
    ]);
    expect(await at('Australia/Lord_Howe', '15 2 * * *', '2027-10-01T00:00Z', '2027-10-04T00:00Z')).toEqual([
      'Sat 2027-10-02 02:15:00 +10:30',
      'Sun 2027-10-03 02:45:00 +11:00',
      'Mon 2027-10-04 02:15:00 +11:00',
    ]);
    expect(await at('UTC', '30 2 * * *', '2027-03-28T00:00Z', '2027-03-29T12:00Z')).toEqual([
      'Sun 2027-03-28 02:30:00 UTC',
      'Mon 2027-03-29 02:30:00 UTC',
    ]);
  });

  it('is changed, listed and deleted; what it cannot be is refused', async () => {
    await schedule(
      'create',
      'weekly',
      'lines.csv',
      '--cron',
      '0 6 * * mon',
      '--timezone',
      'Europe/Berlin',
      '--budget',
      '50',
    );
    await schedule('update', 'weekly', '--every', '7d', '--runs', '2');
    expect(JSON.parse(await schedule('show', 'weekly', '--json'))).toMatchObject({
      times: 'every 7d',
      timezone: 'Europe/Berlin',
      runs_left: 2,
      budget: 50,
      worker: true,
      occurrences: [],
    });
    expect(JSON.parse(await schedule('list', '--json'))).toMatchObject([
      { schedule: 'weekly', worker: true, last: null },
    ]);
    const create = (...words: readonly string[]): Promise<unknown> => world.run(['schedule', 'create', ...words]);
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
    expect((await showSchedule(place(), 'weekly')).isPaused).toBe(true);
    await schedule('resume', 'weekly');
    expect(await showSchedule(place(), 'weekly')).toMatchObject({ isPaused: false, note: 'resumed by hand' });
    await schedule('delete', 'weekly');
    expect(await world.run(['schedule', 'show', 'weekly'])).toMatchObject({
      code: 2,
      stderr: saying('There is no schedule "weekly" here.'),
    });
  });
});
