import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import { ScheduleOverlapPolicy, type ScheduleDescription } from '@temporalio/client';
import { updateSchedule } from '../../../client/schedules/make-schedule.ts';
import {
  backfillSchedule,
  pauseSchedule,
  resumeSchedule,
  triggerSchedule,
} from '../../../client/schedules/control-schedule.ts';
import type { SchedulePlace } from '../../../client/schedules/open-schedules.ts';
import { triggerAttended } from '../../../client/schedules/trigger-and-wait.ts';
import { chooseSettings } from '../../../batches/batch-settings.ts';
import { scheduledRunOf } from '../../../batches/schedules/scheduled-choices.ts';
import { taskQueueOf } from '../../../contract/names.ts';
import { scheduleIdOf, type OverlapPolicy } from '../../../contract/schedule.ts';
import { formatOccurrence } from '../../../policy/schedules/occurrence.ts';
import { freshPlace } from '../../support/place.ts';
import { settingsOf, settle, specOf } from '../../support/schedule-on-record.ts';
import { aBatch, aRow } from '../../ledger/setup.ts';

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
    describe: async () => describeAs(state),
  };
  return { place: placeWith(handle), state };
}

function describeAs(
  state = { paused: false, note: '' },
  { skipped, firings }: { readonly skipped: number; readonly firings: readonly string[] } = { skipped: 0, firings: [] },
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

function placeWith(handle: object, due: readonly number[] = []): SchedulePlace {
  const startTime = due.map((at) => ({ seconds: at / 1_000, nanos: 0 }));
  const client = {
    schedule: { getHandle: () => handle },
    // Asked for if a moment has passed since the last look.
    workflowService: { listScheduleMatchingTimes: async () => ({ startTime }) },
    // Every firing is over.
    workflow: { getHandle: () => ({ describe: async () => ({ status: { name: 'FAILED' } }) }) },
    withDeadline: async (_: number, ask: () => Promise<unknown>) => ask(),
  };
  return { temporal: { client, namespace: 'default' } as unknown as SchedulePlace['temporal'], ledger: place.ledger };
}

it.each([0, 1, 3])(
  'a pause has taken effect when it is over, also if the server forgets it %i times',
  async (forgets) => {
    const schedule = openSchedule(forgets);
    await pauseSchedule(schedule.place, 'nightly', 'why');
    expect(schedule.state).toEqual({ paused: true, note: 'why' });
    await resumeSchedule(schedule.place, 'nightly', 'go on');
    expect(schedule.state).toEqual({ paused: false, note: 'go on' });
  },
);

it('a pause and a resumption close and open the due times that the ledger allows', async () => {
  const due = async (): Promise<readonly boolean[]> =>
    ((await place.ledger.scheduleRecord('nightly'))?.allowed ?? []).map(({ until }) => until === null);
  const schedule = openSchedule(0);
  expect(await due()).toEqual([true]);
  await pauseSchedule(schedule.place, 'nightly', 'why');
  expect(await due()).toEqual([false]);
  await resumeSchedule(schedule.place, 'nightly', 'go on');
  expect(await due()).toEqual([true, false]);
});

describe('an update', () => {
  it('goes by the ledger, whatever Temporal has, and tells Temporal the name and the times alone', async () => {
    let written: { readonly action: object } | undefined;
    const foreign = { ...describeAs(), memo: { apiUrl: 'x' } };
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
      describe: async () => describeAs(),
      update: async () => {
        throw Object.assign(new Error('invalid'), { code: 3, details: 'invalid', metadata: {} });
      },
    });
    const before = await place.ledger.scheduleRecord('nightly');
    await expect(updateSchedule(refusing, 'nightly', { written: { every: '2m' }, nameOf: String })).rejects.toThrow();
    expect(await place.ledger.scheduleRecord('nightly')).toEqual({ ...before, surveyedUntil: expect.any(Number) });
  });
});

describe('a trigger that is waited for', () => {
  const secondOf = (time: number): number => time - (time % 1_000);
  const isoOf = (at: number): string => `${new Date(at).toISOString().slice(0, 19)}Z`;
  const end = (at: number): Promise<void> =>
    place.ledger.endOccurrence({ schedule: 'nightly', at }, { type: 'ended', exit: 'complete' });
  const unused = async (): Promise<number> =>
    ((await place.ledger.scheduleRecord('nightly'))?.allowed ?? []).filter(
      (one) => one.kind === 'trigger' && one.at === null,
    ).length;

  /**
   * What the server tells at each look after the trigger: times that it has fired by then, and how often it skipped.
   * The last look stays.
   */
  type Look = (askedAt: number) => { readonly fired?: readonly number[]; readonly skipped?: number };

  function serverOf(looks: readonly Look[], onTrigger: (askedAt: number) => Promise<void> = async () => undefined) {
    const left = [...looks];
    let askedAt: number | undefined;
    const told = (): ReturnType<Look> =>
      askedAt === undefined ? {} : ((left.length > 1 ? left.shift() : left[0])?.(askedAt) ?? {});
    return placeWith({
      trigger: async () => {
        askedAt = Date.now();
        await onTrigger(askedAt);
      },
      describe: async () => {
        const { fired = [], skipped = 0 } = told();
        return describeAs(undefined, { skipped, firings: fired.map(isoOf) });
      },
    });
  }

  const NOTHING: Look = () => ({});
  const SKIPPED: Look = () => ({ skipped: 1 });
  /** It fires for the second in which it was asked for. */
  const FIRED: Look = (askedAt) => ({ skipped: 1, fired: [secondOf(askedAt)] });

  const attend = (
    server: SchedulePlace,
    overlap?: OverlapPolicy,
    onEvent: Parameters<typeof triggerAttended>[2]['onEvent'] = () => undefined,
  ): ReturnType<typeof triggerAttended> => triggerAttended(server, 'nightly', { overlap, onEvent });

  it.each(['allow', 'buffer-all'] as const)('with %s is not taken for a due time that was skipped', async (overlap) => {
    const busy = serverOf([NOTHING, SKIPPED, FIRED], (askedAt) => end(secondOf(askedAt)));
    expect(await attend(busy, overlap)).toMatchObject({
      type: 'over',
      occurrence: { state: 'ended' },
    });
  });

  it('is not taken for a due time before or after it', async () => {
    let own = 0;
    const others = (askedAt: number): readonly number[] => {
      const minute = askedAt - (askedAt % 60_000);
      return [minute, minute + 60_000];
    };
    const busy = serverOf(
      [(askedAt) => ({ fired: others(askedAt) }), (askedAt) => ({ fired: [...others(askedAt), secondOf(askedAt)] })],
      async (askedAt) => {
        own = secondOf(askedAt);
        for (const at of [own, ...others(askedAt)]) await end(at);
      },
    );
    const started: string[] = [];
    await attend(busy, 'buffer-all', (event) => {
      if (event.type === 'started') started.push(event.batch);
    });
    expect(started).toEqual([formatOccurrence({ schedule: 'nightly', at: own })]);
  });

  it('is the firing of a due time if the server took it in that second, and is withdrawn', async () => {
    await settle(place.ledger, 'nightly', { spec: specOf({ every: '1s' }) });
    const shared = serverOf([FIRED], (askedAt) => end(secondOf(askedAt)));
    expect(await attend(shared)).toMatchObject({ type: 'over' });
    expect(await unused()).toBe(0);
  });

  it('is followed by what the ledger says that it fired for', async () => {
    const began = async (askedAt: number): Promise<void> => {
      const [trigger] = (await place.ledger.scheduleRecord('nightly'))?.allowed ?? [];
      const occurrence = { schedule: 'nightly', at: secondOf(askedAt) };
      await place.ledger.beginOccurrence(occurrence, { trigger: trigger?.id ?? 0 });
      await end(occurrence.at);
    };
    expect(await attend(serverOf([NOTHING], began))).toMatchObject({ type: 'over' });
  });

  it('is given up if the server takes it and fires nothing, and cannot fire later', async () => {
    let now = Date.now();
    jest.spyOn(Date, 'now').mockImplementation(() => (now += 31_000));
    expect(await attend(serverOf([NOTHING]))).toEqual({ type: 'unseen' });
    expect(await unused()).toBe(0);
  });

  it('with skip may be dropped, and cannot fire later', async () => {
    const busy = serverOf([NOTHING, SKIPPED]);
    expect(await attend(busy, 'skip')).toEqual({ type: 'dropped' });
    expect(await unused()).toBe(0);
  });

  it('is refused if a pause came between: nothing is on record of its firing', async () => {
    const paused = serverOf([FIRED], (askedAt) => place.ledger.pauseFirings('nightly', askedAt, ''));
    expect(await attend(paused, 'buffer-all')).toEqual({ type: 'refused' });
  });
});

it('a backfill counts the times that have no batch yet', async () => {
  const until = Math.floor(Date.now() / 60_000) * 60_000;
  const due = [until - 120_000, until - 60_000, until];
  const spec = specOf({ every: '1m' });
  await settle(place.ledger, 'nightly', { spec });
  const [first = 0] = due;
  const loading = await place.ledger.createBatch(aBatch(formatOccurrence({ schedule: 'nightly', at: first })));
  await place.ledger.addRows(loading, [aRow(1)]);
  await place.ledger.openBatch(loading, 1);
  const server = placeWith({ backfill: async () => undefined, describe: async () => describeAs() }, due);
  expect(await backfillSchedule(server, 'nightly', { from: first, to: until })).toEqual({ fires: 2, made: 1 });
});

describe('a trigger', () => {
  const MINUTE = Date.UTC(2026, 10, 25, 22, 41);

  it.each([
    ['at once in a second of its own', 20_400, 20_400],
    ['after a due time in the same second', 200, 1_000],
    ['after a due time that comes before the server takes it', 59_560, 61_000],
  ])('is sent %s', async (_, now, earliest) => {
    const since = performance.now();
    jest.spyOn(Date, 'now').mockImplementation(() => MINUTE + now + (performance.now() - since));
    let sentAt = 0;
    const server = placeWith({
      trigger: async () => {
        sentAt = Date.now() - MINUTE;
      },
      describe: async () => describeAs(),
    });
    const { askedAt } = await triggerSchedule(server, 'nightly');
    expect(askedAt - MINUTE).toBeGreaterThanOrEqual(earliest);
    expect(sentAt).toBeGreaterThanOrEqual(earliest);
  });
});
