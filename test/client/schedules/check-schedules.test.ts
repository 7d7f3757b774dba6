import { describe, expect, it } from '@jest/globals';
import { ScheduleOverlapPolicy } from '@temporalio/client';
import { checkSchedules } from '../../../client/schedules/schedule-view.ts';
import type { OpenSchedules } from '../../../client/schedules/open-schedules.ts';
import type { WrittenSpec } from '../../../policy/schedules/schedule-spec.ts';
import { freshPlace } from '../../support/place.ts';
import { pretendSchedules } from '../../support/schedule-server.ts';
import { settle, specOf } from '../../support/schedule-on-record.ts';

const REALM = { apiUrl: 'https://api.example/api/open/v1', account: 'a' };
const HOUR_MS = 3_600_000;

const place = freshPlace();

/** A server that knows one schedule, which is not due within the test. */
function schedulePlace(isDeserted: boolean): OpenSchedules {
  const describeSchedule = {
    spec: { intervals: [{ every: 24 * HOUR_MS }] },
    policies: { overlap: ScheduleOverlapPolicy.SKIP, catchupWindow: HOUR_MS, pauseOnFailure: false },
    state: { paused: false },
    action: { args: [] },
    info: { createdAt: new Date(Date.now() + HOUR_MS), nextActionTimes: [], recentActions: [] },
  };
  const client = {
    schedule: { getHandle: () => ({ describe: async () => describeSchedule }) },
    workflow: { getHandle: () => ({ describe: async () => ({ status: { name: 'RUNNING' } }) }) },
    withDeadline: async (_: number, ask: () => Promise<unknown>) => ask(),
  };
  const around = { isCluster: false, isDeserted, hasUp: false };
  const temporal = { client, namespace: 'default' };
  return { temporal, ledger: place.ledger, around } as unknown as OpenSchedules;
}

it.each([
  ['in order while its worker is there', false, true],
  ['amiss where nobody was there, although the worker that was killed is still on record', true, false],
])('a check of an occurrence that runs finds it %s', async (_, isDeserted, isFine) => {
  await settle(place.ledger, 'nightly', { ...REALM, spec: specOf({ every: '1d' }) });
  await place.ledger.beginOccurrence({ schedule: 'nightly', at: Math.floor(Date.now() / 1_000) * 1_000 });
  await place.ledger.beat({ owner: 'w', ...REALM });
  const checks = await checkSchedules(schedulePlace(isDeserted), { name: 'nightly', since: Date.now() - HOUR_MS });
  expect(checks).toMatchObject({ inOrder: isFine, schedules: [{ schedule: 'nightly', worker: isFine }] });
});

it('a schedule that only Temporal has, as after a ledger from a backup, is amiss, unless it was deleted moments ago; those of other ledgers are not', async () => {
  const listed = ['hourly', 'deleted'];
  const schedules = pretendSchedules(place.ledger, { listed, gone: ['deleted'] });
  expect(await checkSchedules(schedules, { since: 0 })).toEqual({
    inOrder: false,
    schedules: [],
    strangers: ['hourly'],
  });
  // Whoever asks for one gets that one.
  await settle(place.ledger, 'nightly', { spec: specOf({ every: '1d' }) });
  expect(await checkSchedules(schedules, { name: 'nightly', since: Date.now() })).toMatchObject({ inOrder: true });
});

describe('a schedule that has paused by itself', () => {
  const DAY_MS = 24 * HOUR_MS;
  const FAILED_AT = Math.floor((Date.now() - 3 * DAY_MS) / DAY_MS) * DAY_MS;
  const NIGHTLY = { schedule: 'nightly', at: FAILED_AT };
  const checked = (isPauseFine: boolean): ReturnType<typeof checkSchedules> =>
    checkSchedules(pretendSchedules(place.ledger, {}), { since: Date.now() - 26 * HOUR_MS, isPauseFine });

  async function fail(spec: WrittenSpec): Promise<void> {
    await settle(place.ledger, 'nightly', { spec: specOf({ pauseOnFailure: true, ...spec }) });
    await place.ledger.beginOccurrence(NIGHTLY);
    const end = { type: 'failed', exit: null, reason: 'The manifest is missing.' } as const;
    await place.ledger.endOccurrence(NIGHTLY, end, { pauses: true });
  }

  it.each([false, true])(
    'is amiss until it is resumed, also if what failed is older than the range (--paused-ok: %s)',
    async (isPauseFine) => {
      await fail({ every: '7d' });
      expect(await checked(isPauseFine)).toMatchObject({
        inOrder: false,
        schedules: [{ schedule: 'nightly', lost: false, paused: true, pausedOnFailure: true, occurrences: [] }],
      });
      await place.ledger.resumeFirings('nightly', Date.now(), 'mended');
      expect(await checked(isPauseFine)).toMatchObject({ inOrder: true, schedules: [{ pausedOnFailure: false }] });
    },
  );

  it('is not, if it was paused by hand, or would never fire again', async () => {
    await fail({ every: '1d', runs: 1 });
    expect(await checked(false)).toMatchObject({ inOrder: true, schedules: [{ pausedOnFailure: false }] });
    await settle(place.ledger, 'nightly', { spec: specOf({ every: '7d' }) });
    await place.ledger.pauseFirings('nightly', Date.now(), 'a holiday');
    expect(await checked(false)).toMatchObject({
      inOrder: true,
      schedules: [{ paused: true, pausedOnFailure: false }],
    });
  });
});
