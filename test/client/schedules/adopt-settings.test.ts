import Database from 'libsql';
import { describe, expect, it } from '@jest/globals';
import { ScheduleNotFoundError, ScheduleOverlapPolicy } from '@temporalio/client';
import { chooseSettings } from '../../../batches/batch-settings.ts';
import { scheduledRunOf } from '../../../batches/schedules/scheduled-run.ts';
import { admitFiring } from '../../../batches/schedules/admit-firing.ts';
import { adoptOnceHeard, adoptSettings } from '../../../client/schedules/adopt-settings.ts';
import type { SchedulePlace } from '../../../client/schedules/place.ts';
import { scheduleIdOf } from '../../../contract/schedule.ts';
import { freshPlace } from '../../support/place.ts';
import { specOf } from '../../support/schedule-on-record.ts';

const MADE = Date.UTC(2026, 0, 1);
const UPGRADED = Date.UTC(2026, 5, 1);
const REALM = { apiUrl: 'https://api.example/api/open/v1', account: 'u1' };
const RUN = scheduledRunOf(chooseSettings({}, {}), {
  manifest: '/data/lines.csv',
  outFolder: '/data/\u001b[2Jout',
  probe: false,
  confirmAbove: null,
});

const place = freshPlace();

/** A schedule as an earlier version left it in the ledger. */
function leave(name: string): void {
  const database = new Database(place.ledger.place);
  database
    .prepare('insert into schedules (name, surveyed_until, legacy_until) values (?, ?, ?)')
    .run(name, MADE, UPGRADED);
  database.close();
}

/** The schedules of a server, by name: what differs from one that an earlier version made. */
function serverWith(schedules: Readonly<Record<string, object>>, silentFor = 0): SchedulePlace {
  let silences = silentFor;
  const described = (change: object): unknown => ({
    spec: { intervals: [{ every: 3_600_000 }] },
    policies: { overlap: ScheduleOverlapPolicy.SKIP, catchupWindow: 3_600_000, pauseOnFailure: false },
    state: { paused: false },
    memo: REALM,
    action: {
      args: [{ schedule: 'nightly', run: RUN, month: { credits: 70, timezone: 'UTC' }, catchUpMs: 3_600_000 }],
    },
    info: { createdAt: new Date(MADE) },
    ...change,
  });
  const getHandle = (id: string): object => ({
    describe: async () => {
      if (silences-- > 0) throw Object.assign(new Error('14 UNAVAILABLE'), { code: 14, details: '', metadata: {} });
      const found = Object.entries(schedules).find(([name]) => id === scheduleIdOf(place.ledger.id, name));
      if (found === undefined) throw new ScheduleNotFoundError('not there', id);
      return described(found[1]);
    },
  });
  const client = {
    schedule: { getHandle },
    withDeadline: async (_: number, ask: () => Promise<unknown>) => ask(),
  };
  return { temporal: { client, namespace: 'default' } as unknown as SchedulePlace['temporal'], ledger: place.ledger };
}

/** What is said when a server with these schedules is opened. */
async function said(schedules: Readonly<Record<string, object>>): Promise<readonly string[]> {
  const lines: string[] = [];
  await adoptSettings(serverWith(schedules), (line) => lines.push(line));
  return lines;
}

/** Whether the schedule may fire for the time at which the ledger was upgraded, a second later. */
function fires(): ReturnType<typeof admitFiring> {
  const { ledger } = place;
  const occurrence = { schedule: 'nightly', at: UPGRADED };
  return admitFiring({
    ledger,
    realm: { ...REALM, ledgerId: ledger.id },
    occurrence,
    waitedMs: 0,
    now: UPGRADED + 1_000,
  });
}

describe('the settings of a schedule that an earlier version made', () => {
  it('move into the ledger once, with a message that names manifest and folder', async () => {
    leave('nightly');
    const [line, ...more] = await said({ nightly: {} });
    expect(more).toEqual([]);
    expect(line).toContain('It runs "/data/lines.csv" and writes to "/data/\\u001b[2Jout".');
    const record = await place.ledger.scheduleRecord('nightly');
    const spec = specOf({ every: '1h', budgetMonth: '70' });
    expect(record).toMatchObject({ settings: { ...REALM, spec, run: { manifest: RUN.manifest } }, legacyUntil: null });
    // Firings that are under way may have been due since it was made.
    const dues = record?.allowed.map(({ from, until }) => [from === MADE, until === null]);
    expect(dues).toEqual([
      [false, true],
      [true, false],
    ]);
    const foreign = { action: { args: [{ schedule: 'nightly', run: { ...RUN, manifest: '/etc/passwd' } }] } };
    expect(await said({ nightly: foreign })).toEqual([]);
    expect(await place.ledger.scheduleRecord('nightly')).toEqual(record);
  });

  it('of a paused one allow no due time until it is resumed here', async () => {
    leave('nightly');
    await said({ nightly: { state: { paused: true } } });
    const { allowed = [] } = (await place.ledger.scheduleRecord('nightly')) ?? {};
    expect(allowed.every(({ until }) => until !== null)).toBe(true);
  });

  it.each<[string, object, string]>([
    [
      'that somebody changed since the upgrade',
      { info: { createdAt: new Date(MADE), lastUpdatedAt: new Date(UPGRADED + 1) } },
      'they were changed there since the upgrade',
    ],
    [
      'that somebody made since the upgrade',
      { info: { createdAt: new Date(UPGRADED + 1) } },
      'they were changed there since the upgrade',
    ],
    [
      'that this version cannot read',
      { action: { args: [{ run: { manifest: 'x' } }] } },
      'this version cannot read them',
    ],
    ['without an account', { memo: {} }, 'this version cannot read them'],
  ])('stay where they are, with a message, if they are those %s', async (_, change, why) => {
    leave('nightly');
    expect(await said({ nightly: change })).toEqual([expect.stringContaining(why)]);
    expect((await place.ledger.scheduleRecord('nightly'))?.settings).toBeUndefined();
    // That is told once: nobody looks for them again.
    expect(await said({ nightly: change })).toEqual([]);
    expect((await place.ledger.knownSchedules()).map(({ isLegacy }) => isLegacy)).toEqual([false]);
  });

  it('are not looked for where the ledger does not know the schedule, or Temporal does not', async () => {
    leave('lost');
    expect(await said({ stranger: {} })).toEqual([]);
    expect((await place.ledger.knownSchedules()).map(({ name }) => name)).toEqual(['lost']);
  });

  it('move when Temporal answers again where it was silent, and their firings wait until then', async () => {
    leave('nightly');
    const lines: string[] = [];
    const ending = new AbortController();
    const moved = new Promise<void>((resolve, reject) => {
      const say = (line: string): void => {
        lines.push(line);
        resolve();
      };
      adoptOnceHeard(serverWith({ nightly: {} }, 2), say, { signal: ending.signal, onFault: reject, pauseMs: 1 }).catch(
        reject,
      );
    });
    expect(await fires()).toMatchObject({ type: 'unsettled' });
    await moved;
    expect(lines).toEqual([expect.stringContaining('have moved from Temporal into the ledger')]);
    expect(await fires()).toMatchObject({ type: 'admitted' });
  });

  it('that cannot move have their firings refused, and not tried for ever', async () => {
    leave('nightly');
    await said({ nightly: { memo: {} } });
    expect(await fires()).toMatchObject({ type: 'refused' });
  });

  it('are not asked for any more once the worker has ended', async () => {
    leave('nightly');
    const faults: unknown[] = [];
    const ending = new AbortController();
    const { signal } = ending;
    await adoptOnceHeard(serverWith({ nightly: {} }, Infinity), () => undefined, {
      signal,
      onFault: (one) => faults.push(one),
      pauseMs: 60_000,
    });
    ending.abort();
    expect(faults).toEqual([]);
  });
});
