import { describe, expect, it } from '@jest/globals';
import type { Ledger } from '../../ledger/ledger.ts';
import { ledgerForEachTest } from './setup.ts';

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
    expect(await only()).toEqual({ at: AT, state: 'running', exit: null, cause: null, reason: null, endedAt: null });
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

describe('a schedule', () => {
  it('is known until it is forgotten, and its survey never goes back', async () => {
    await ledger.trackSchedule('nightly', AT);
    await ledger.trackSchedule('nightly', AT + 5);
    expect(await ledger.knownSchedules()).toEqual([{ name: 'nightly', surveyedUntil: AT }]);
    await ledger.noteSkips('nightly', { skipped: [], until: AT + 9 });
    await ledger.noteSkips('nightly', { skipped: [], until: AT + 3 });
    expect(await ledger.knownSchedules()).toEqual([{ name: 'nightly', surveyedUntil: AT + 9 }]);
    await ledger.beginOccurrence(NIGHTLY);
    await ledger.forgetSchedule('nightly');
    expect(await ledger.knownSchedules()).toEqual([]);
    expect(await only()).toMatchObject({ state: 'running' });
  });
});
