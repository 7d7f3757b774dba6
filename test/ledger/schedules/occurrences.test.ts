import { beforeEach, describe, expect, it } from '@jest/globals';
import { formatOccurrence } from '../../../policy/schedules/occurrence.ts';
import { settingsOf } from '../../support/schedule-on-record.ts';
import { aBatch, aRow, ledger, ledgerForEachTest, load } from '../setup.ts';

const AT = Date.UTC(2026, 11, 1, 2);
const DAY_MS = 86_400_000;
const NIGHTLY = { schedule: 'nightly', at: AT };
const FAILED = { type: 'failed', exit: null, reason: 'No manifest.' } as const;
const SKIPPED = { at: AT, cause: 'overlap', reason: 'The batch before still ran.' } as const;

ledgerForEachTest();

async function only(): Promise<unknown> {
  const [one, ...others] = await ledger.occurrencesOf('nightly');
  expect(others).toEqual([]);
  return one;
}

const skip = (...skipped: Parameters<typeof ledger.noteSkips>[1]['skipped']): Promise<void> =>
  ledger.noteSkips('nightly', { skipped, until: AT });

describe('an occurrence', () => {
  it('runs and ends, has its exit on record, and stays so if it fires again', async () => {
    await ledger.beginOccurrence(NIGHTLY);
    const nothing = { exit: null, cause: null, reason: null, endedAt: null, etag: null, isUnchanged: null, out: null };
    expect(await only()).toEqual({ at: AT, state: 'running', ...nothing });
    await ledger.endOccurrence(NIGHTLY, { type: 'ended', exit: 'complete' });
    expect(await only()).toMatchObject({ state: 'ended', exit: 'complete', reason: null });
    await ledger.beginOccurrence(NIGHTLY);
    expect(await only()).toMatchObject({ state: 'ended', exit: 'complete' });
  });

  it('that failed or was skipped runs if it fires after all', async () => {
    await ledger.beginOccurrence(NIGHTLY);
    await ledger.endOccurrence(NIGHTLY, FAILED);
    expect(await only()).toMatchObject({ state: 'failed', reason: 'No manifest.' });
    await ledger.beginOccurrence(NIGHTLY);
    expect(await only()).toMatchObject({ state: 'running', reason: null, endedAt: null });
    const next = { schedule: 'nightly', at: AT + DAY_MS };
    await skip({ ...SKIPPED, at: next.at });
    await ledger.beginOccurrence(next);
    expect((await ledger.occurrencesOf('nightly'))[0]).toMatchObject({ state: 'running', cause: null, reason: null });
  });

  it('that was skipped keeps its first reason, and none that took place is said to be skipped', async () => {
    await skip(SKIPPED);
    await skip({ ...SKIPPED, cause: 'missed', reason: 'Other.' });
    expect(await only()).toMatchObject({ state: 'skipped', cause: 'overlap', reason: SKIPPED.reason });
    await ledger.beginOccurrence(NIGHTLY);
    await skip(SKIPPED);
    expect(await only()).toMatchObject({ state: 'running' });
  });

  it('is listed with those of its schedule only, the newest first, as many and as late as asked for', async () => {
    for (const day of [0, 2, 1]) await ledger.beginOccurrence({ schedule: 'nightly', at: AT + day * DAY_MS });
    await ledger.beginOccurrence({ schedule: 'hourly', at: AT });
    const times = async (...which: Parameters<typeof ledger.occurrencesOf>): Promise<readonly number[]> =>
      (await ledger.occurrencesOf(...which)).map(({ at }) => (at - AT) / DAY_MS);
    expect(await times('nightly')).toEqual([2, 1, 0]);
    expect(await times('nightly', { max: 2 })).toEqual([2, 1]);
    expect(await times('nightly', { from: AT + DAY_MS })).toEqual([2, 1]);
    expect(await times('weekly')).toEqual([]);
  });
});

describe('the manifest of an occurrence', () => {
  /** Makes the batch of a day of a manifest with this digest; tells whether that is the one before. */
  async function read(day: number, digest: string, schedule = 'nightly'): Promise<unknown> {
    const occurrence = { schedule, at: AT + day * DAY_MS };
    await ledger.beginOccurrence(occurrence);
    await ledger.createBatch({ ...aBatch(formatOccurrence(occurrence)), digest });
    await ledger.noteManifest(occurrence, `"${digest}"`);
    return (await ledger.occurrencesOf(schedule)).find(({ at }) => at === occurrence.at);
  }

  it('is on record with its ETag, and compared with that of the batch before', async () => {
    expect(await read(0, 'one')).toMatchObject({ etag: '"one"', isUnchanged: false });
    expect(await read(1, 'one')).toMatchObject({ etag: '"one"', isUnchanged: true });
    await ledger.beginOccurrence({ schedule: 'nightly', at: AT + 2 * DAY_MS });
    expect(await read(3, 'one')).toMatchObject({ isUnchanged: true });
    expect(await read(4, 'two')).toMatchObject({ isUnchanged: false });
    expect(await read(9, 'two', 'nightly.2026-12-01T02-00-00Z')).toMatchObject({ isUnchanged: false });
    expect(await read(10, 'two')).toMatchObject({ isUnchanged: true });
  });

  it('that was skipped or failed is not known', async () => {
    await ledger.beginOccurrence(NIGHTLY);
    await ledger.noteManifest(NIGHTLY, null);
    expect(await only()).toMatchObject({ etag: null, isUnchanged: null });
  });
});

it('a schedule is known until it is forgotten, whatever a survey says, which never goes back', async () => {
  for (const at of [AT, AT + 5]) await ledger.settleSchedule('nightly', settingsOf(), at);
  expect(await ledger.knownSchedules()).toEqual(['nightly']);
  for (const until of [AT + 9, AT + 3]) await ledger.noteSkips('nightly', { skipped: [], until });
  expect(await ledger.scheduleRecord('nightly')).toMatchObject({ surveyedUntil: AT + 9 });
  await ledger.beginOccurrence(NIGHTLY);
  await ledger.forgetSchedule('nightly');
  expect(await ledger.knownSchedules()).toEqual([]);
  await ledger.noteSkips('nightly', { skipped: [], until: AT + 20 });
  expect(await ledger.knownSchedules()).toEqual([]);
  expect(await only()).toMatchObject({ state: 'running' });
});

describe('the hooks of a schedule', () => {
  const NAME = formatOccurrence(NIGHTLY);
  const BOTH = { onEnd: 'true', notify: 'https://hooks.example/x' };

  const events = async (name = NAME): Promise<readonly string[]> =>
    (await ledger.noticesOf(name)).map(({ event, target }) => `${event} ${target}`).sort();

  async function fail(occurrence = NIGHTLY, exit: 'halted' | null = null): Promise<void> {
    await ledger.beginOccurrence(occurrence);
    for (let time = 1; time <= 2; time++) await ledger.endOccurrence(occurrence, { ...FAILED, exit });
  }

  beforeEach(async () => {
    await ledger.settleSchedule('nightly', settingsOf(), 0);
    await ledger.setScheduleHooks('nightly', BOTH);
  });

  it('are kept until they are changed, one by one, or the schedule is forgotten', async () => {
    const none = { onEnd: null, notify: null };
    expect(await ledger.scheduleHooks('weekly')).toEqual(none);
    expect(await ledger.scheduleHooks('nightly')).toEqual(BOTH);
    for (const change of [{}, { onEnd: null }]) await ledger.setScheduleHooks('nightly', change);
    expect(await ledger.scheduleHooks('nightly')).toEqual({ ...BOTH, onEnd: null });
    await skip();
    expect(await ledger.scheduleHooks('nightly')).toEqual({ ...BOTH, onEnd: null });
    await ledger.forgetSchedule('nightly');
    await ledger.settleSchedule('nightly', settingsOf(), 0);
    expect(await ledger.scheduleHooks('nightly')).toEqual(none);
  });

  it('are told of an occurrence that failed without a batch, once for each time, and of those of their own schedule only', async () => {
    await fail();
    expect(await events()).toEqual(['failed command', 'failed url']);
    await fail();
    expect(await events()).toHaveLength(4);
    await ledger.settleSchedule('weekly', settingsOf(), 0);
    await fail({ schedule: 'weekly', at: AT });
    expect(await events(formatOccurrence({ schedule: 'weekly', at: AT }))).toEqual([]);
  });

  it('are told of those that were missed together by one notice, of the newest, and of one that the month could not pay', async () => {
    const times = [0, 1, 2].map((day) => AT + day * DAY_MS);
    const missed = times.map((at) => ({ at, cause: 'missed', reason: 'Nobody was there.' }) as const);
    for (let time = 1; time <= 2; time++) await skip(...missed);
    const told = await Promise.all(times.map((at) => events(formatOccurrence({ schedule: 'nightly', at }))));
    expect(told).toEqual([[], [], ['skipped command', 'skipped url']]);
    expect(await ledger.occurrencesOf('nightly')).toHaveLength(3);
    const next = { schedule: 'nightly', at: AT + 1_000 };
    await ledger.beginOccurrence(next);
    await ledger.endOccurrence(next, { type: 'skipped', cause: 'month-budget', reason: 'Used up.' });
    expect(await events(formatOccurrence(next))).toEqual(['skipped command', 'skipped url']);
  });

  it.each(['paused', 'overlap'] as const)(
    'are not told of one that was %s: that is somebody’s choice',
    async (cause) => {
      await skip({ at: AT, cause, reason: 'So.' });
      expect(await events()).toEqual([]);
    },
  );

  it('are not told of a failure whose batch tells of itself', async () => {
    await load([aRow(1)], { name: NAME });
    await fail(NIGHTLY, 'halted');
    expect(await events()).toEqual([]);
  });
});
