import { ScheduleNotFoundError, ScheduleOverlapPolicy, type ScheduleOptions } from '@temporalio/client';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { resumeOrRemake } from '../../../client/schedules/make-schedule.ts';
import { checkSchedules, listSchedules, showSchedule } from '../../../client/schedules/schedule-view.ts';
import {
  backfillSchedule,
  deleteSchedule,
  pauseSchedule,
  triggerSchedule,
} from '../../../client/schedules/control-schedule.ts';
import type { OpenSchedules } from '../../../client/schedules/open-schedules.ts';
import { exitErrorOf } from '../../../starters/exit-of-problem.ts';
import { freshPlace } from '../../support/place.ts';
import { settle, specOf } from '../../support/schedule-on-record.ts';

const place = freshPlace();
const SPEC = specOf({ every: '6h', overlap: 'buffer-one', runs: 7 });
beforeEach(() => settle(place.ledger, 'nightly', { spec: SPEC, run: { manifest: '/lines.csv' } }));

/** A Temporal server whose database was lost: it knows no schedule but those that are made now. */
function emptyServer(): { readonly schedules: OpenSchedules; readonly made: ScheduleOptions[] } {
  const made: ScheduleOptions[] = [];
  const lost = async (): Promise<never> => {
    throw new ScheduleNotFoundError('schedule not found', 'nightly');
  };
  const describeMade = async (): Promise<object> =>
    made.length === 0
      ? lost()
      : {
          policies: { overlap: ScheduleOverlapPolicy.SKIP },
          state: { paused: false },
          info: { createdAt: new Date(), nextActionTimes: [], recentActions: [] },
        };
  const handle = { describe: describeMade, trigger: lost, backfill: lost, delete: lost };
  const client = {
    schedule: {
      getHandle: () => handle,
      list: async function* () {
        // It has none.
      },
      create: async (options: ScheduleOptions) => {
        made.push(options);
      },
    },
    workflowService: { listScheduleMatchingTimes: async () => ({ startTime: [] }) },
    withDeadline: async (_: number, ask: () => Promise<unknown>) => ask(),
  };
  const around = { isCluster: true, isDeserted: false, hasUp: false };
  const temporal = { client, namespace: 'default' };
  return { schedules: { temporal, ledger: place.ledger, around } as unknown as OpenSchedules, made };
}

describe('a schedule that Temporal has lost', () => {
  const range = { from: 0, to: 1 };

  it.each<[string, (schedules: OpenSchedules) => Promise<unknown>]>([
    ['show', async (schedules) => showSchedule(schedules, 'nightly')],
    ['trigger', async (schedules) => triggerSchedule(schedules, 'nightly')],
    ['pause', async (schedules) => pauseSchedule(schedules, 'nightly', 'why')],
    ['backfill', async (schedules) => backfillSchedule(schedules, 'nightly', range)],
  ])('%s says so, and how to make it again', async (_, work) => {
    const error = await work(emptyServer().schedules).catch(exitErrorOf);
    expect(error).toMatchObject({
      exit: 'usage',
      message: expect.stringMatching(
        /Temporal does not know the schedule "nightly" any more.* voxbatch schedule resume nightly/,
      ),
    });
    // A trigger that Temporal did not take fires never.
    expect((await place.ledger.scheduleRecord('nightly'))?.allowed).toMatchObject([{ kind: 'due' }]);
  });

  it('is listed as lost, and amiss in a check', async () => {
    const { schedules } = emptyServer();
    expect(await listSchedules(schedules)).toMatchObject([{ schedule: 'nightly', lost: true, next: null }]);
    const check = await checkSchedules(schedules, { since: 0 });
    expect(check).toEqual({ inOrder: false, schedules: [{ schedule: 'nightly', lost: true }], strangers: [] });
  });

  it('is made again as it is on record by a resumption, with the runs that it has left', async () => {
    await place.ledger.setScheduleHooks('nightly', { onEnd: './publish.sh', notify: null });
    const at = 6 * 3_600_000;
    await place.ledger.beginOccurrence({ schedule: 'nightly', at });
    await place.ledger.endOccurrence({ schedule: 'nightly', at }, { type: 'ended', exit: 'complete' });
    const { schedules, made } = emptyServer();
    expect(await resumeOrRemake(schedules, 'nightly', 'why')).toBe(true);
    expect(made).toMatchObject([
      { spec: { intervals: [{ every: at }] }, policies: { overlap: ScheduleOverlapPolicy.BUFFER_ONE } },
    ]);
    const [options] = made;
    expect(options?.state?.remainingActions).toBe(6);
    const record = await place.ledger.scheduleRecord('nightly');
    expect(record?.settings).toMatchObject({ run: { manifest: '/lines.csv' }, spec: { ...SPEC, runs: 6 } });
    expect(record?.allowed[0]).toMatchObject({ kind: 'due', until: null });
    expect(await place.ledger.scheduleHooks('nightly')).toEqual({ onEnd: './publish.sh', notify: null });
    expect(await listSchedules(schedules)).toMatchObject([{ schedule: 'nightly', lost: false }]);
  });

  it.each([
    ['its last run', { every: '6h', runs: 1 }],
    ['its last time', { every: '6h', until: '1970-01-02T00:00:00Z' }],
  ])('is not lost if it was forgotten after %s', async (_, written) => {
    await settle(place.ledger, 'nightly', { spec: specOf(written), run: { manifest: '/lines.csv' } });
    const occurrence = { schedule: 'nightly', at: 6 * 3_600_000 };
    await place.ledger.beginOccurrence(occurrence);
    await place.ledger.endOccurrence(occurrence, { type: 'ended', exit: 'complete' });
    const { schedules } = emptyServer();
    expect(await listSchedules(schedules)).toMatchObject([{ schedule: 'nightly', lost: false, next: null }]);
    expect(await checkSchedules(schedules, { since: 0 })).toMatchObject({
      inOrder: true,
      schedules: [{ lost: false, occurrences: [{ state: 'ended', amiss: false }] }],
    });
  });

  it('is forgotten by a deletion', async () => {
    await deleteSchedule(emptyServer().schedules, 'nightly');
    expect(await place.ledger.knownSchedules()).toEqual([]);
  });
});
