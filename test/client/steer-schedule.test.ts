import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import { ScheduleOverlapPolicy, type ScheduleDescription } from '@temporalio/client';
import { pauseSchedule, resumeSchedule, updateSchedule } from '../../client/schedules/steer-schedule.ts';
import type { SchedulePlace } from '../../client/schedules/place.ts';
import { triggerAndWait } from '../../client/schedules/trigger-and-wait.ts';
import { chooseSettings } from '../../batches/batch-settings.ts';
import { scheduledRunOf } from '../../batches/scheduled-run.ts';
import { taskQueueOf } from '../../contract/names.ts';
import { scheduleIdOf } from '../../contract/schedule.ts';
import { freshPlace } from '../support/place.ts';
import { settingsOf, settle, specOf } from '../support/schedule-on-record.ts';

const place = freshPlace();
beforeEach(() => settle(place.ledger, 'nightly', { spec: specOf({ every: '1m', catchUp: '1m', budgetMonth: '70' }) }));

/** A schedule in a server that forgets the first patches which it gets, as it does of several in one turn. */
function openSchedule(forgets: number): { readonly place: SchedulePlace; readonly state: { paused: boolean } } {
  const state = { paused: false, note: '' };
  let left = forgets;
  const patch = (change: Partial<typeof state>): void => {
    if (left > 0) left -= 1;
    else Object.assign(state, change);
  };
  const handle = {
    pause: async (note: string) => {
      patch({ paused: true, note });
    },
    unpause: async (note: string) => {
      patch({ paused: false, note });
    },
    describe: async () => describeAs(state, { skipped: 0, firings: [] }),
  };
  return { place: placeWith(handle), state };
}

function describeAs(
  state: { readonly paused: boolean; readonly note: string },
  { skipped, firings }: { readonly skipped: number; readonly firings: readonly string[] },
): ScheduleDescription {
  const found = {
    spec: { intervals: [{ every: 60_000 }] },
    policies: { overlap: ScheduleOverlapPolicy.SKIP, catchupWindow: 60_000, pauseOnFailure: false },
    state,
    action: { args: [] },
    info: {
      createdAt: new Date(Date.now() - 5_000),
      numActionsSkippedOverlap: skipped,
      recentActions: firings.map((time) => ({
        action: { workflow: { workflowId: `${scheduleIdOf(place.ledger.id, 'nightly')}-${time}` } },
      })),
    },
  };
  return found as unknown as ScheduleDescription;
}

function placeWith(handle: object): SchedulePlace {
  const client = {
    schedule: { getHandle: () => handle },
    // Asked for if a moment has passed since the last look.
    workflowService: { listScheduleMatchingTimes: async () => ({ startTime: [] }) },
    withDeadline: async (_: number, ask: () => Promise<unknown>) => ask(),
  };
  return { temporal: { client, namespace: 'default' } as unknown as SchedulePlace['temporal'], ledger: place.ledger };
}

describe('a pause', () => {
  it.each([0, 1, 3])('has taken effect when it is over, also if the server forgets it %i times', async (forgets) => {
    const schedule = openSchedule(forgets);
    await pauseSchedule(schedule.place, 'nightly', 'why');
    expect(schedule.state).toEqual({ paused: true, note: 'why' });
    await resumeSchedule(schedule.place, 'nightly', 'go on');
    expect(schedule.state).toEqual({ paused: false, note: 'go on' });
  });
});

describe('a pause and a resumption', () => {
  it('close and open the due times that the ledger allows', async () => {
    const due = async (): Promise<readonly boolean[]> =>
      ((await place.ledger.scheduleRecord('nightly'))?.allowed ?? []).map(({ until }) => until === null);
    const schedule = openSchedule(0);
    expect(await due()).toEqual([true]);
    await pauseSchedule(schedule.place, 'nightly', 'why');
    expect(await due()).toEqual([false]);
    await resumeSchedule(schedule.place, 'nightly', 'go on');
    expect(await due()).toEqual([true, false]);
  });
});

describe('an update', () => {
  it('goes by the ledger, whatever Temporal has, and tells Temporal the name and the times alone', async () => {
    let written: { readonly action: object } | undefined;
    const foreign = { ...describeAs({ paused: false, note: '' }, { skipped: 0, firings: [] }), memo: { apiUrl: 'x' } };
    const action = { args: [{ run: { manifest: '/etc/passwd' }, month: { credits: 1e9 } }], taskQueue: 'mine' };
    const found = { ...foreign, action } as unknown as ScheduleDescription;
    const opened = placeWith({
      describe: async () => found,
      update: async (change: (before: ScheduleDescription) => typeof written) => {
        written = change(found);
      },
    });
    const settings = async (): Promise<unknown> => (await place.ledger.scheduleRecord('nightly'))?.settings;
    await updateSchedule(opened, 'nightly', { written: { every: '2m' }, nameOf: String });
    expect(written?.action).toMatchObject({
      args: [{ schedule: 'nightly' }],
      taskQueue: taskQueueOf({ apiUrl: 'https://api.example/api/open/v1', account: 'u1', ledgerId: place.ledger.id }),
    });
    expect(JSON.stringify(written)).not.toContain('passwd');
    const spec = specOf({ every: '2m', catchUp: '1m', budgetMonth: '70' });
    expect(await settings()).toEqual(settingsOf({ spec }));
    const run = scheduledRunOf(chooseSettings({}, {}), {
      manifest: '/lines.csv',
      outFolder: '/out',
      probe: false,
      confirmAbove: null,
    });
    await updateSchedule(opened, 'nightly', { written: { budgetMonth: '80' }, run, nameOf: String });
    expect(await settings()).toEqual(
      JSON.parse(JSON.stringify(settingsOf({ spec: { ...spec, budgetMonth: 80 }, run }))),
    );
  });

  it('that Temporal refuses changes nothing in the ledger', async () => {
    const refusing = placeWith({
      describe: async () => describeAs({ paused: false, note: '' }, { skipped: 0, firings: [] }),
      update: async () => {
        throw Object.assign(new Error('invalid'), { code: 3, details: 'invalid', metadata: {} });
      },
    });
    const before = await place.ledger.scheduleRecord('nightly');
    await expect(updateSchedule(refusing, 'nightly', { written: { every: '2m' }, nameOf: String })).rejects.toThrow();
    expect(await place.ledger.scheduleRecord('nightly')).toEqual(before);
  });
});

describe('a trigger that is waited for', () => {
  const FIRED = '2026-12-01T02:00:00Z';

  /** A schedule that skips a due time after the trigger, and only then fires. */
  function openBusy(): SchedulePlace {
    const state = { paused: false, note: '' };
    const looks = [
      { skipped: 0, firings: [] },
      { skipped: 0, firings: [] },
      { skipped: 1, firings: [] },
      { skipped: 1, firings: [FIRED] },
    ];
    return placeWith({
      trigger: async () => undefined,
      describe: async () =>
        describeAs(state, (looks.length > 1 ? looks.shift() : looks[0]) ?? { skipped: 0, firings: [] }),
    });
  }

  it.each(['allow', 'buffer-all'] as const)('with %s is not taken for a due time that was skipped', async (overlap) => {
    await place.ledger.endOccurrence(
      { schedule: 'nightly', at: Date.parse(FIRED) },
      { type: 'ended', exit: 'complete' },
    );
    expect(await triggerAndWait(openBusy(), 'nightly', overlap, () => undefined)).toMatchObject({
      type: 'over',
      occurrence: { state: 'ended' },
    });
  });

  it('is not taken for an earlier due time that waited for its turn', async () => {
    const state = { paused: false, note: '' };
    const firings: string[] = [];
    const earlier = new Date(Date.now() - 60_000).toISOString().replace(/\.\d+/, '');
    const busy = placeWith({
      trigger: async () => firings.push(earlier),
      describe: async () => {
        const seen = [...firings];
        if (seen.length > 0) firings.push(FIRED);
        return describeAs(state, { skipped: 0, firings: seen });
      },
    });
    await place.ledger.endOccurrence(
      { schedule: 'nightly', at: Date.parse(FIRED) },
      { type: 'ended', exit: 'complete' },
    );
    const started: string[] = [];
    await triggerAndWait(busy, 'nightly', 'buffer-all', (batch) => started.push(batch));
    expect(started).toEqual(['nightly.2026-12-01T02-00-00Z']);
  });

  it('is given up if the server takes it and fires nothing', async () => {
    const state = { paused: false, note: '' };
    const idle = placeWith({
      trigger: async () => undefined,
      describe: async () => describeAs(state, { skipped: 0, firings: [] }),
    });
    let now = Date.now();
    const clock = jest.spyOn(Date, 'now').mockImplementation(() => (now += 31_000));
    try {
      expect(await triggerAndWait(idle, 'nightly', undefined, () => undefined)).toEqual({ type: 'unseen' });
    } finally {
      clock.mockRestore();
    }
  });

  it('with skip may be dropped', async () => {
    expect(await triggerAndWait(openBusy(), 'nightly', 'skip', () => undefined)).toEqual({ type: 'dropped' });
  });
});
