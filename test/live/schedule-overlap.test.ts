/** @slow */
import { beforeAll, expect } from '@jest/globals';
import { triggerSchedule } from '../../client/schedules/control-schedule.ts';
import { firingIdOf, type OverlapPolicy } from '../../contract/schedule.ts';
import { ScheduleWorld, type SeenOccurrence } from '../support/schedule-world.ts';
import { testsAtOnce } from '../support/tests-at-once.ts';
import { waitFor } from '../support/wait-for.ts';

const ROWS = 2;
/** So slow that a batch does not end before it is told to hurry. */
const SLOW = { rate: 0.002 };
const EVERY_MS = 4_000;
/**
 * Schedules come to an end, so that each of their due times can be called to account. On a busy machine half of it may be over
 * before a schedule is made.
 */
const FIRES_FOR_MS = 21_000;
const SELDOM = { cron: '0 0 29 2 *' };

let here: ScheduleWorld;
beforeAll(async () => {
  here = await ScheduleWorld.open(93, ROWS);
});

interface Fired {
  /** Times at which the schedule was due, the first first. */
  readonly due: readonly number[];
  /** What became of them, when all was over. */
  readonly occurrences: readonly SeenOccurrence[];
  /** The most batches that were open at the same time. */
  readonly mostOpen: number;
}

/**
 * Lets a schedule of slow batches be due some times, lets its batches hurry as soon as all times are past, and waits until each is settled. Checks what
 * holds for all policies: each due time is there once; what ran was charged once a row, what did not says why.
 */
async function fire(policy: OverlapPolicy): Promise<Fired> {
  const until = Date.now() + FIRES_FOR_MS;
  await here.create(policy, { every: '4s', until: new Date(until).toISOString(), overlap: policy }, SLOW);
  const due = await here.firingsUntil(policy, until);
  expect(due.length).toBeGreaterThanOrEqual(3);
  expect(due).toEqual(due.map((_, index) => (due[0] ?? 0) + index * EVERY_MS));
  await waitFor(() => Date.now() > until);
  let mostOpen = 0;
  const occurrences = await here.until(policy, async (all) => {
    const open = all.filter(({ state, charged }) => state === 'running' && charged !== null);
    mostOpen = Math.max(mostOpen, open.length);
    // All are seen running before the first is let go.
    if (policy === 'allow' && mostOpen < due.length) return false;
    // Under `cancel` the others are being stopped: one that hurries might be at its end before.
    const hurried = policy === 'cancel' ? open.filter(({ at }) => at === due.at(-1)) : open;
    for (const { batch } of hurried) await here.ledger.tune(batch, { limits: { rate: null } });
    return all.length === due.length && all.every(({ state }) => state !== 'running' && state !== 'waiting');
  });
  expect(occurrences.map(({ at }) => at)).toEqual(due);
  for (const { batch, state, exit, reason } of occurrences) {
    const charged = here.world.charges(batch).size;
    if (state === 'ended') expect(exit === 'complete' ? charged === ROWS : charged < ROWS).toBe(true);
    else expect({ charged, reason }).toEqual({ charged: 0, reason: expect.stringMatching(/still ran|took the place/) });
  }
  return { due, occurrences, mostOpen };
}

/** What became of occurrences, in a word each. */
function endsOf(occurrences: readonly SeenOccurrence[]): readonly string[] {
  return occurrences.map(({ state, cause, exit }) => cause ?? exit ?? state);
}

testsAtOnce({
  'overlap skip: a firing comes to nothing while a batch runs, and is listed': async () => {
    const { due, occurrences } = await fire('skip');
    expect(endsOf(occurrences)).toEqual(['complete', ...due.slice(1).map(() => 'overlap')]);
  },

  'overlap buffer-one: one firing waits for the batch, the others are listed': async () => {
    const { due, occurrences, mostOpen } = await fire('buffer-one');
    expect(endsOf(occurrences)).toEqual(['complete', 'complete', ...due.slice(2).map(() => 'overlap')]);
    expect(mostOpen).toBe(1);
  },

  'overlap buffer-all: all firings wait, and run one after the other': async () => {
    const { due, occurrences, mostOpen } = await fire('buffer-all');
    expect(endsOf(occurrences)).toEqual(due.map(() => 'complete'));
    expect(mostOpen).toBe(1);
  },

  'overlap allow: all batches run at the same time': async () => {
    const { due, occurrences, mostOpen } = await fire('allow');
    expect(endsOf(occurrences)).toEqual(due.map(() => 'complete'));
    expect(mostOpen).toBe(due.length);
  },

  'overlap cancel: a firing stops the batch before; one that comes while that is stopped gives way to the next':
    async () => {
      const { occurrences } = await fire('cancel');
      const ends = endsOf(occurrences);
      expect(ends.at(-1)).toBe('complete');
      for (const end of ends.slice(0, -1)) expect(['failures', 'overlap']).toContain(end);
      expect(ends).toContain('failures');
    },

  'waits for a batch that is paused without keeping a worker busy, and hears at once that it has ended': async () => {
    const { client, ledger, world } = here;
    await here.create('resting', SELDOM, SLOW);
    await triggerSchedule(here.place, 'resting');
    const [{ at, batch } = { at: 0, batch: '' }] = await here.until(
      'resting',
      ([one]) => (one?.charged ?? null) !== null,
    );
    expect(await world.run(['pause', batch])).toMatchObject({ code: 0 });
    const firing = client.workflow.getHandle(firingIdOf(ledger.id, 'resting', at));
    await waitFor(async () => ((await firing.describe()).raw.pendingActivities ?? []).length === 0, undefined, 250);
    expect(await firing.describe()).toMatchObject({ status: { name: 'RUNNING' } });
    await ledger.tune(batch, { limits: { rate: null } });
    expect(await world.run(['resume', batch])).toMatchObject({ code: 0 });
    expect(endsOf(await here.untilOver('resting', 1))).toEqual(['complete']);
    // It looked at its beginning, perhaps once more by its timer, and at the end: not once a second.
    const { events } = await firing.fetchHistory();
    const looks = (events ?? []).filter((event) => event.activityTaskCompletedEventAttributes != null).length - 1;
    expect(looks).toBeLessThan(10);
    expect(world.charges(batch).size).toBe(ROWS);
  },

  'cancelled while its manifest is loaded it sends nothing of it, for nobody else takes up the batch': async () => {
    const { ledger, place, client } = here;
    await here.create('loading', { ...SELDOM, overlap: 'cancel' });
    const unlock = await ledger.lockForLoading();
    await triggerSchedule(place, 'loading', 'cancel');
    const [first] = await here.until('loading', ({ length }) => length === 1);
    if (first === undefined) throw new Error('There is no occurrence.');
    await waitFor(() => Date.now() >= first.at + 1_000);
    await triggerSchedule(place, 'loading', 'cancel');
    await waitFor(async () => {
      const { events } = await client.workflow.getHandle(firingIdOf(ledger.id, 'loading', first.at)).fetchHistory();
      return events?.some((event) => event.workflowExecutionCancelRequestedEventAttributes != null) === true;
    });
    unlock();
    const [cancelled, ran] = await here.untilOver('loading', 2);
    expect((await ledger.counts(first.batch)).outcomes).toMatchObject({ cancelled: ROWS });
    expect(here.world.charges(cancelled?.batch).size).toBe(0);
    expect(here.world.charges(ran?.batch).size).toBe(ROWS);
  },
});
