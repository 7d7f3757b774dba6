/** @slow */
import { rm } from 'node:fs/promises';
import { describe, expect, it } from '@jest/globals';
import { waitFor } from '../support/wait-for.ts';
import { INTENT, keyOf, tts, texts } from './rows.ts';
import { movableClock } from './worker.ts';
import { createWorld, begin, type World, type WorkerOptions, type Stopped } from './world.ts';

/** Earlier results in place of requests, of docs/decisions/one-charge.md. */

/** A batch whose only row is held at this moment; batch `b` has a row that waits for its result. */
async function withLeader(
  moment: 'before-rename' | 'after-answer',
): Promise<{ world: World; leader: Stopped<unknown>; waiting: Promise<unknown>; lane: AbortController }> {
  const { world } = await begin([tts()], { wanted: { name: 'leader', cache: 'on' } });
  const leader = await world.stopAt(moment, (worker) => worker.work('leader'));
  await world.fill([tts()], { cache: 'on' });
  const [watch, lane] = [countLooks(), new AbortController()];
  const waiting = (await world.worker(watch)).work('b', lane.signal);
  await waitFor(() => watch.seen() > 1);
  return { world, leader, waiting, lane };
}

/** Counts how often a worker's rows look whether what they wait for is there. */
function countLooks(): WorkerOptions & { readonly seen: () => number } {
  let looks = 0;
  return {
    seen: () => looks,
    ledger: (ledger) => ({
      findReusable: (...asked) => {
        looks += 1;
        return ledger.findReusable(...asked);
      },
    }),
  };
}

/** An outcome for each row of these batches, however they are spread. */
async function spread(world: World, ...batches: readonly string[]): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const batch of batches)
    for (const outcome of await world.outcomes(batch)) counts[`${outcome}`] = (counts[`${outcome}`] ?? 0) + 1;
  return counts;
}

describe('one charge: earlier results', () => {
  it('killed between the copy and its record', async () => {
    const world = await createWorld();
    await world.run('first', [tts()]);
    await world.fill([tts()], { name: 'second', cache: 'on' });
    const late = await world.stopAt('before-reuse-record', (worker) => worker.work('second'));
    expect(await world.attempts(1, 'second')).toEqual([]);
    await world.work('second');
    expect(await world.attempts(1, 'second')).toEqual(['speech 1 cached']);
    // It comes too late, and finds that there is nothing to do.
    late.release();
    expect(await world.outcomes('second')).toEqual(['cached']);
    expect(world.charges()).toHaveLength(1);
  });

  it('the earlier result is removed while it is used', async () => {
    const world = await createWorld();
    await world.run('first', [tts()]);
    await world.fill([tts()], { name: 'second', cache: 'on' });
    const { ended, release } = await world.stopAt('before-reuse-record', (worker) => worker.work('second'));
    await rm(await world.pathOf(1, 'first'));
    await world.ledger.dropResult({ ...keyOf(1), batch: 'first' });
    release();
    await ended;
    // Its record was gone before the row had it, so the row pays.
    expect(await world.attempts(1, 'second')).toEqual(['speech 1 accepted']);
    expect(await world.outcomes('second')).toEqual(['succeeded']);
    expect(world.charges()).toHaveLength(2);
  });

  it('two batches want the same result at once', async () => {
    const world = await createWorld();
    for (const name of ['one', 'two']) await world.fill(texts(20), { name, cache: 'on' });
    await Promise.all(['one', 'two'].map((name) => world.work(name)));
    expect(world.charges()).toHaveLength(20);
    expect(await spread(world, 'one', 'two')).toEqual({ succeeded: 20, cached: 20 });
  });

  it('equal rows in a window of one', async () => {
    const world = await createWorld();
    const specs = [...texts(3), ...texts(3), ...texts(3).toReversed()];
    await world.run('one', specs, { limits: { window: 1, submits: 1 } });
    expect(world.charges()).toHaveLength(3);
    expect(await spread(world, 'one')).toEqual({ succeeded: 3, cached: 6 });
  });

  it('the batch of the row that others wait for is paused', async () => {
    const { world, leader, waiting } = await withLeader('before-rename');
    await world.ledger.setControl('leader', 'paused');
    leader.release();
    await Promise.all([waiting, leader.ended]);
    expect(await world.outcomes('b')).toEqual(['cached']);
    expect(world.charges()).toHaveLength(1);
  });

  it('the batch of the row that others wait for is stopped at once', async () => {
    const { world, leader, waiting } = await withLeader('before-rename');
    expect(world.charges()).toHaveLength(1);
    // Its row is overdue: nobody waits for its job, so nobody waits for its result.
    await world.ledger.stopNow('leader');
    await waiting;
    leader.release();
    await leader.ended;
    expect(await world.outcomes('b')).toEqual(['succeeded']);
    expect(world.charges()).toHaveLength(2);
  });

  it('the row that others wait for gets a new take', async () => {
    const { world } = await begin([tts(), tts(), tts()], {
      rules: [{ on: 'create', fault: { kind: 'job-fails', message: 'no' }, times: 1 }],
      wanted: { cache: 'on', retakes: 1 },
    });
    await world.work();
    // One more for the job that failed, whichever row goes on; none is paid for twice.
    expect(world.charges()).toHaveLength(2);
    expect(await spread(world, 'b')).toEqual({ succeeded: 1, cached: 2 });
  });

  it('the row that others wait for is unknown, then its answer comes', async () => {
    const { world, leader, waiting } = await withLeader('after-answer');
    await world.work('leader');
    expect(await world.outcomes('leader')).toEqual(['unknown']);
    await waiting;
    expect(await world.outcomes('b')).toEqual(['succeeded']);
    leader.release();
    await waitFor(async () => (await world.attempts(1, 'leader'))[0] === 'speech 1 accepted');
    await world.work('leader');
    expect(await world.outcomes('leader')).toEqual(['succeeded']);
    // Each paid for its own; one was in doubt when the other was sent.
    expect(world.charges()).toHaveLength(2);
    expect(await world.ledger.money('leader')).toMatchObject({ uncertain: 0 });
  });

  it('nobody works on the row that others wait for', async () => {
    const { world, worker: leader } = await begin([tts()], { wanted: { name: 'leader', cache: 'on' } });
    const { ledger, owner, realm } = leader.deps;
    const resultKey = await keyAsRecorded(world);
    await ledger.intend({ ...keyOf(1), batch: 'leader' }, { ...INTENT, owner, resultKey });
    await ledger.beat({ ...realm, owner });
    await world.fill([tts()], { cache: 'on' });
    const [clock, watch] = [movableClock(), countLooks()];
    const waiting = (await world.worker({ ...watch, clock })).work();
    const expectStillWaiting = async (): Promise<void> => {
      const looks = watch.seen();
      await waitFor(() => watch.seen() > looks + 2);
      expect(await world.attempts()).toEqual([]);
    };
    await waitFor(() => watch.seen() > 1);
    clock.move({ monotonic: 600_000 });
    // Its worker lives, however long that takes.
    await expectStillWaiting();
    await ledger.forgetWorkers({ owner });
    await expectStillWaiting();
    clock.move({ monotonic: 600_000 });
    await waiting;
    expect(await world.outcomes('b')).toEqual(['succeeded']);
    expect(world.charges()).toHaveLength(1);
  });

  it('killed while it waits for another row', async () => {
    const { world, leader, waiting, lane } = await withLeader('before-rename');
    lane.abort();
    await waiting;
    // It left no record that anybody would have to wait for.
    expect(await world.attempts()).toEqual([]);
    leader.release();
    await leader.ended;
    await (await world.worker()).work('b', undefined, { run: 'next' });
    expect(await world.outcomes('b')).toEqual(['cached']);
    expect(world.charges()).toHaveLength(1);
  });
});

/** The key that the result of the row of these tests is known by, as a run leaves it. */
async function keyAsRecorded(world: World): Promise<string> {
  await world.fill([tts()], { name: 'key', cache: 'fresh' });
  await world.stopAt('after-intent', (worker) => worker.work('key'));
  const { charges } = await world.row(1, 'key');
  const failure = { class: 'BadRequest', message: 'no' } as const;
  await world.ledger.settle({ ...keyOf(1), batch: 'key' }, { verdict: 'rejected' }, { outcome: 'failed', failure });
  return charges[0]?.resultKey ?? '';
}
