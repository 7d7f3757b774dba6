import { expect, it } from '@jest/globals';
import { admitFiring } from '../../../batches/schedules/admit-firing.ts';
import { byItself } from '../../../contract/actions.ts';
import { chooseSettings } from '../../../batches/batch-settings.ts';
import { scheduledRunOf } from '../../../batches/schedules/scheduled-choices.ts';
import { freshPlace } from '../../support/place.ts';
import { settle, specOf } from '../../support/schedule-on-record.ts';

const DAY = 86_400_000;
const REALM = { apiUrl: 'https://api.example/api/open/v1', account: 'u1', ledgerId: 'l1' };
const place = freshPlace();
const run = scheduledRunOf(chooseSettings({}, {}), {
  ...{ manifest: '/data/lines.csv', outFolder: '/data/out', probe: false, confirmAbove: null },
});

const admit = (schedule: string, at: number, now: number): Promise<unknown> =>
  admitFiring({ ledger: place.ledger, realm: REALM, occurrence: { schedule, at }, waitedMs: 0, now });

it('a backfill of rare times goes on after a week, as long as its batches end one after the other', async () => {
  const { ledger } = place;
  const spec = specOf({ cron: '0 0 1 */3 *', timezone: 'UTC' });
  await settle(ledger, 'quarterly', { run, spec });
  const now = Date.now();
  const [first, second, third] = [Date.UTC(2020, 0, 1), Date.UTC(2020, 3, 1), Date.UTC(2020, 6, 1)];
  await ledger.allowFirings('quarterly', {
    ...{ kind: 'backfill', from: first, until: third, spec, askedAt: now - 8 * DAY },
  });
  const admitted = (at: number): Promise<unknown> => admit('quarterly', at, now);
  expect(await admitted(second)).toMatchObject({ type: 'missed' });
  // It took a week, and has just ended.
  await ledger.beginOccurrence({ schedule: 'quarterly', at: first });
  await ledger.endOccurrence({ schedule: 'quarterly', at: first }, { type: 'ended', exit: 'complete' });
  expect(await admitted(second)).toMatchObject({ type: 'admitted' });
  expect(await admitted(third)).toMatchObject({ type: 'admitted' });
});

it('a firing makes no batch on a copy of the ledger: it may have made it after the copy', async () => {
  const { ledger } = place;
  const spec = specOf({ every: '1h', timezone: 'UTC' });
  const now = Date.now();
  const last = now - (now % (DAY / 24));
  await ledger.settleSchedule('hourly', { run, spec, apiUrl: REALM.apiUrl, account: REALM.account }, last - DAY);
  const admitted = (at: number): Promise<unknown> => admit('hourly', at, now);
  const before = last - DAY / 24;
  await ledger.beginOccurrence({ schedule: 'hourly', at: before });
  expect(await admitted(before)).toMatchObject({ type: 'admitted' });
  expect(await admitted(last)).toMatchObject({ type: 'admitted' });
  expect(await ledger.acceptCopy(byItself(null))).toEqual({ batches: [], schedules: ['hourly'] });
  expect(await ledger.findOccurrence({ schedule: 'hourly', at: before })).toMatchObject({ state: 'failed' });
  expect(await ledger.acceptCopy(byItself(null))).toEqual({ batches: [], schedules: [] });
  expect(await admitted(before)).toMatchObject({ type: 'unasked' });
  expect(await admitted(last)).toMatchObject({ type: 'unasked' });
  await ledger.clearDoubts(byItself(null));
  // From then on, as if nothing had been due before.
  await ledger.resumeFirings('hourly', last + 120_000, 'compared');
  expect(await admitted(last)).toMatchObject({ type: 'unasked' });
  const next = last + DAY / 24;
  expect(await admit('hourly', next, next)).toMatchObject({ type: 'admitted' });
});
