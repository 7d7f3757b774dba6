import { describe, expect, it } from '@jest/globals';
import type { Ledger } from '../../../ledger/ledger.ts';
import { formatOccurrence } from '../../../policy/schedules/occurrence.ts';
import { aBatch, ledgerForEachTest } from '../setup.ts';
import { settingsOf } from '../../support/schedule-on-record.ts';

const AT = Date.UTC(2026, 11, 1, 2);
const DAY_MS = 86_400_000;
const NIGHTLY = { schedule: 'nightly', at: AT };
const SKIPPED = { at: AT, cause: 'overlap', reason: 'The batch before still ran.' } as const;

let ledger: Ledger;
ledgerForEachTest((made) => {
  ledger = made;
});

async function only(): Promise<unknown> {
  const [one, ...others] = await ledger.occurrencesOf('nightly');
  expect(others).toEqual([]);
  return one;
}

describe('an occurrence', () => {
  it('runs and ends, and has its exit on record', async () => {
    await ledger.beginOccurrence(NIGHTLY);
    expect(await only()).toEqual({
      at: AT,
      state: 'running',
      exit: null,
      cause: null,
      reason: null,
      endedAt: null,
      etag: null,
      isUnchanged: null,
      out: null,
    });
    await ledger.endOccurrence(NIGHTLY, { type: 'ended', exit: 'complete' });
    expect(await only()).toMatchObject({ state: 'ended', exit: 'complete', reason: null });
  });

  it('that has ended stays so if it fires again', async () => {
    await ledger.beginOccurrence(NIGHTLY);
    await ledger.endOccurrence(NIGHTLY, { type: 'ended', exit: 'complete' });
    await ledger.beginOccurrence(NIGHTLY);
    expect(await only()).toMatchObject({ state: 'ended', exit: 'complete' });
  });

  it('that failed or was skipped runs if it fires after all', async () => {
    await ledger.beginOccurrence(NIGHTLY);
    await ledger.endOccurrence(NIGHTLY, { type: 'failed', exit: null, reason: 'No manifest.' });
    expect(await only()).toMatchObject({ state: 'failed', reason: 'No manifest.' });
    await ledger.beginOccurrence(NIGHTLY);
    expect(await only()).toMatchObject({ state: 'running', reason: null, endedAt: null });
    const next = { schedule: 'nightly', at: AT + DAY_MS };
    await ledger.noteSkips('nightly', { skipped: [{ ...SKIPPED, at: next.at }], until: next.at });
    await ledger.beginOccurrence(next);
    expect((await ledger.occurrencesOf('nightly'))[0]).toMatchObject({ state: 'running', cause: null, reason: null });
  });

  it('that was skipped keeps its first reason, and none that took place is said to be skipped', async () => {
    await ledger.noteSkips('nightly', { skipped: [SKIPPED], until: AT });
    await ledger.noteSkips('nightly', { skipped: [{ ...SKIPPED, cause: 'missed', reason: 'Other.' }], until: AT });
    expect(await only()).toMatchObject({ state: 'skipped', cause: 'overlap', reason: SKIPPED.reason });
    await ledger.beginOccurrence(NIGHTLY);
    await ledger.noteSkips('nightly', { skipped: [SKIPPED], until: AT });
    expect(await only()).toMatchObject({ state: 'running' });
  });

  it('is listed with those of its schedule only, the newest first, as many and as late as asked for', async () => {
    for (const day of [0, 2, 1]) await ledger.beginOccurrence({ schedule: 'nightly', at: AT + day * DAY_MS });
    await ledger.beginOccurrence({ schedule: 'hourly', at: AT });
    const times = async (...which: Parameters<Ledger['occurrencesOf']>): Promise<readonly number[]> =>
      (await ledger.occurrencesOf(...which)).map(({ at }) => (at - AT) / DAY_MS);
    expect(await times('nightly')).toEqual([2, 1, 0]);
    expect(await times('nightly', { most: 2 })).toEqual([2, 1]);
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

describe('due times that were missed together', () => {
  const MISSED = { cause: 'missed', reason: 'No server was there.' } as const;
  const times = [0, 1, 2].map((day) => AT + day * DAY_MS);

  it('make one notice, of the newest; each is on record', async () => {
    await ledger.settleSchedule('nightly', settingsOf(), AT - 1);
    await ledger.setScheduleHooks('nightly', { notify: 'https://hooks.example/x', onEnd: 'true' });
    await ledger.noteSkips('nightly', { skipped: times.map((at) => ({ at, ...MISSED })), until: AT + 3 * DAY_MS });
    const notices = await Promise.all(
      times.map(async (at) => (await ledger.noticesOf(formatOccurrence({ schedule: 'nightly', at }))).length),
    );
    expect(notices).toEqual([0, 0, 2]);
    expect(await ledger.occurrencesOf('nightly')).toHaveLength(3);
  });
});

describe('a schedule', () => {
  it('is known until it is forgotten, whatever a survey says, which never goes back', async () => {
    await ledger.settleSchedule('nightly', settingsOf(), AT);
    await ledger.settleSchedule('nightly', settingsOf(), AT + 5);
    expect(await ledger.knownSchedules()).toEqual(['nightly']);
    await ledger.noteSkips('nightly', { skipped: [], until: AT + 9 });
    await ledger.noteSkips('nightly', { skipped: [], until: AT + 3 });
    expect(await ledger.scheduleRecord('nightly')).toMatchObject({ surveyedUntil: AT + 9 });
    await ledger.beginOccurrence(NIGHTLY);
    await ledger.forgetSchedule('nightly');
    expect(await ledger.knownSchedules()).toEqual([]);
    await ledger.noteSkips('nightly', { skipped: [], until: AT + 20 });
    expect(await ledger.knownSchedules()).toEqual([]);
    expect(await only()).toMatchObject({ state: 'running' });
  });
});
