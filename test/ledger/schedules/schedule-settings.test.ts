import { beforeEach, describe, expect, it } from '@jest/globals';
import type { NewAllowance } from '../../../ledger/schedules/schedule-settings.ts';
import { settingsOf, settle, specOf } from '../../support/schedule-on-record.ts';
import { ledger, ledgerForEachTest } from '../setup.ts';

const AT = Date.UTC(2026, 11, 1, 2);
const TRIGGER: NewAllowance = { kind: 'trigger', from: AT - 60_000, until: AT + 600_000 };
const BACKFILL: NewAllowance = { kind: 'backfill', from: 0, until: AT, spec: specOf({ every: '1h' }), askedAt: AT };

ledgerForEachTest();

/** Whether what was asked for still allows anything, the oldest first. */
async function stillOpen(schedule = 'nightly'): Promise<readonly boolean[]> {
  const { allowed = [] } = (await ledger.scheduleRecord(schedule)) ?? {};
  return allowed.flatMap((one) => (one.kind === 'due' ? [] : [!one.isVoid])).toReversed();
}

describe('a trigger and a backfill that have not begun', () => {
  beforeEach(async () => {
    await settle(ledger, 'nightly');
    await settle(ledger, 'other');
    for (const allowance of [TRIGGER, BACKFILL]) {
      await ledger.allowFirings('nightly', allowance);
      await ledger.allowFirings('other', allowance);
    }
  });

  it('are void once the schedule is paused, also after it is resumed; what is asked for later is not', async () => {
    await ledger.pauseFirings('nightly', AT, 'maintenance');
    expect(await stillOpen()).toEqual([false, false]);
    await ledger.allowFirings('nightly', TRIGGER);
    await ledger.allowFirings('nightly', BACKFILL);
    await ledger.resumeFirings('nightly', AT + 1, 'go on');
    expect(await stillOpen()).toEqual([false, false, true, true]);
    expect(await stillOpen('other')).toEqual([true, true]);
  });

  it('are void once it runs something else, and not by other times', async () => {
    await ledger.settleSchedule('nightly', settingsOf({ spec: specOf({ every: '2h' }) }), AT);
    expect(await stillOpen()).toEqual([true, true]);
    await ledger.settleSchedule('nightly', settingsOf({ run: { manifest: '/dear.csv' } }), AT);
    expect(await stillOpen()).toEqual([false, false]);
  });

  it('are gone once it is deleted, also if it is made again', async () => {
    await ledger.forgetSchedule('nightly');
    await settle(ledger, 'nightly');
    expect(await stillOpen()).toEqual([]);
  });
});

describe('a trigger', () => {
  const begin = (at: number, trigger: number): Promise<boolean> =>
    ledger.beginOccurrence({ schedule: 'nightly', at }, { trigger });
  let used: number;
  let unused: number;
  beforeEach(async () => {
    await settle(ledger, 'nightly');
    used = await ledger.allowFirings('nightly', TRIGGER);
    unused = await ledger.allowFirings('nightly', TRIGGER);
    expect(await begin(AT, used)).toBe(true);
  });

  it('that was judged before a pause begins nothing after it', async () => {
    await ledger.pauseFirings('nightly', AT, '');
    expect(await begin(AT, used)).toBe(false);
    expect(await begin(AT + 1_000, unused)).toBe(false);
    expect((await ledger.occurrencesOf('nightly')).map(({ at, state }) => [at, state])).toEqual([[AT, 'running']]);
  });

  it('is withdrawn unless it has fired', async () => {
    expect(await ledger.withdrawFirings(unused)).toBe(true);
    expect(await ledger.withdrawFirings(used)).toBe(false);
    expect(await stillOpen()).toEqual([true]);
  });
});

it('the note of a pause stays until the schedule is resumed, also if it is changed', async () => {
  const note = async (): Promise<unknown> => (await ledger.scheduleRecord('nightly'))?.note;
  await settle(ledger, 'nightly');
  expect(await note()).toBeNull();
  await ledger.pauseFirings('nightly', AT, 'maintenance by Ada');
  await ledger.settleSchedule('nightly', settingsOf({ spec: specOf({ every: '2h' }) }), AT);
  expect(await note()).toBe('maintenance by Ada');
  await ledger.resumeFirings('nightly', AT, 'new voices are there');
  expect(await note()).toBe('new voices are there');
});
