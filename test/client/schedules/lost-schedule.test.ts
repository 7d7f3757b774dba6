import {
  ScheduleNotFoundError,
  ScheduleOverlapPolicy,
  WorkflowNotFoundError,
  type ScheduleOptions,
} from '@temporalio/client';
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
const HOUR = 3_600_000;
const EVERY = 6 * HOUR;
/** The first of its due times on record: half a day ago. */
const FIRST = Math.floor(Date.now() / EVERY) * EVERY - 2 * EVERY;
beforeEach(async () => {
  await settle(place.ledger, 'nightly', { spec: SPEC, run: { manifest: '/lines.csv' } });
  await place.ledger.noteSkips('nightly', { skipped: [], until: FIRST });
});

async function end(at: number): Promise<void> {
  await place.ledger.beginOccurrence({ schedule: 'nightly', at });
  await place.ledger.endOccurrence({ schedule: 'nightly', at }, { type: 'ended', exit: 'complete' });
}

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
    workflow: {
      getHandle: () => ({
        describe: async () => {
          throw new WorkflowNotFoundError('not found', 'any', undefined);
        },
      }),
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
    await end(FIRST);
    const { schedules, made } = emptyServer();
    expect(await resumeOrRemake(schedules, 'nightly', 'why')).toBe(true);
    expect(made).toMatchObject([
      { spec: { intervals: [{ every: EVERY }] }, policies: { overlap: ScheduleOverlapPolicy.BUFFER_ONE } },
    ]);
    const [options] = made;
    expect(options?.state?.remainingActions).toBe(6);
    const record = await place.ledger.scheduleRecord('nightly');
    expect(record?.settings).toMatchObject({ run: { manifest: '/lines.csv' }, spec: { ...SPEC, runs: 6 } });
    expect(record?.allowed[0]).toMatchObject({ kind: 'due', until: null });
    expect(await place.ledger.scheduleHooks('nightly')).toEqual({ onEnd: './publish.sh', notify: null });
    expect(await listSchedules(schedules)).toMatchObject([{ schedule: 'nightly', lost: false }]);
  });

  it('has a line for each time at which it was due meanwhile, once it is made again', async () => {
    await place.ledger.pauseFirings('nightly', FIRST + EVERY + HOUR, 'a holiday');
    await resumeOrRemake(emptyServer().schedules, 'nightly', 'why');
    expect(await place.ledger.occurrencesOf('nightly')).toMatchObject([
      { at: FIRST + 2 * EVERY, state: 'skipped', cause: 'paused', reason: 'The schedule was paused: a holiday' },
      { at: FIRST + EVERY, state: 'skipped', cause: 'missed', reason: 'Temporal had lost the schedule.' },
    ]);
  });

  it('that has ended, and was not fired the last time, says so', async () => {
    const until = new Date(FIRST + EVERY).toISOString();
    await settle(place.ledger, 'nightly', { spec: specOf({ every: '6h', until }), run: { manifest: '/lines.csv' } });
    const missed = { state: 'skipped', cause: 'missed', amiss: true };
    const { schedules } = emptyServer();
    expect(await checkSchedules(schedules, { since: FIRST })).toMatchObject({
      inOrder: false,
      schedules: [{ lost: false, occurrences: [missed] }],
    });
    expect(await listSchedules(schedules)).toMatchObject([{ lost: false, lastState: 'skipped', amissInARow: 1 }]);
  });

  it.each([
    ['its last run', { every: '6h', runs: 1 }],
    ['its last time', { every: '6h', until: new Date(FIRST).toISOString() }],
  ])('is not lost if it was forgotten after %s', async (_, written) => {
    await settle(place.ledger, 'nightly', { spec: specOf(written), run: { manifest: '/lines.csv' } });
    await end(FIRST);
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
