/** @slow */
import { rm } from 'node:fs/promises';
import { describe, expect, it } from '@jest/globals';
import { waitFor } from '../support/wait-for.ts';
import { outcomesOf, runBatch, texts, workOn } from './cached.ts';
import { keyOf, tts } from './rows.ts';
import { movableClock } from './worker.ts';
import { createWorld, type World, type WorkerOptions } from './world.ts';

/** Earlier results in place of requests, of docs/decisions/one-charge.md. */

/** A batch whose only row is held right before its result is named; others wait for it. */
async function withLeader(world: World): Promise<{ release(): void; ended: Promise<unknown> }> {
  await world.fill([tts()], { name: 'leader', cache: 'on' });
  const stop = world.holdAt('before-rename');
  const ended = workOn(await world.worker({ atFaultPoint: stop.atFaultPoint }), 'leader');
  await stop.reached;
  return {
    release: () => {
      stop.release();
    },
    ended,
  };
}

/** Counts how often a worker's rows look whether what they wait for is there. */
function countLooks(): WorkerOptions & { readonly seen: () => number } {
  let looks = 0;
  return {
    seen: () => looks,
    change: ({ ledger }) => ({
      ledger: {
        ...ledger,
        lookForResult: (...asked) => {
          looks += 1;
          return ledger.lookForResult(...asked);
        },
      },
    }),
  };
}

describe('one charge: earlier results', () => {
  it('killed between the copy and its record', async () => {
    const world = await createWorld();
    await runBatch(world, await world.worker(), 'first', [tts()]);
    await world.fill([tts()], { name: 'second', cache: 'on' });
    const stop = world.holdAt('before-reuse-record');
    void workOn(await world.worker({ atFaultPoint: stop.atFaultPoint }), 'second').catch(() => undefined);
    await stop.reached;
    expect(await world.attempts(1, 'second')).toEqual([]);
    await workOn(await world.worker(), 'second');
    expect(await world.attempts(1, 'second')).toEqual(['speech 1 cached']);
    // It comes too late, and finds that there is nothing to do.
    stop.release();
    expect(await outcomesOf(world, 'second')).toEqual(['cached']);
    expect(world.charges()).toHaveLength(1);
  });

  it('the earlier result is removed while it is used', async () => {
    const world = await createWorld();
    const first = await world.worker();
    await runBatch(world, first, 'first', [tts()]);
    await world.fill([tts()], { name: 'second', cache: 'on' });
    const stop = world.holdAt('before-reuse-record');
    const ended = workOn(await world.worker({ atFaultPoint: stop.atFaultPoint }), 'second');
    await stop.reached;
    const { file } = await world.row(1, 'first');
    await rm(first.deps.store.pathOf(file?.key ?? '') ?? '');
    await first.deps.ledger.dropResult({ ...keyOf(1), batch: 'first' });
    stop.release();
    await ended;
    // Its record was gone before the row had it, so the row pays.
    expect(await world.attempts(1, 'second')).toEqual(['speech 1 accepted']);
    expect(await outcomesOf(world, 'second')).toEqual(['succeeded']);
    expect(world.charges()).toHaveLength(2);
  });

  it('two batches want the same result at once', async () => {
    const world = await createWorld();
    for (const name of ['one', 'two']) await world.fill(texts(20), { name, cache: 'on' });
    await Promise.all(['one', 'two'].map(async (name) => workOn(await world.worker(), name)));
    expect(world.charges()).toHaveLength(20);
    const outcomes = [...(await outcomesOf(world, 'one', 20)), ...(await outcomesOf(world, 'two', 20))];
    expect(outcomes.filter((outcome) => outcome === 'succeeded')).toHaveLength(20);
    expect(outcomes.filter((outcome) => outcome === 'cached')).toHaveLength(20);
  });

  it('equal rows in a window of one', async () => {
    const world = await createWorld();
    const specs = [...texts(3), ...texts(3), ...texts(3).toReversed()];
    await runBatch(world, await world.worker(), 'one', specs, { limits: { window: 1, submits: 1 } });
    expect(world.charges()).toHaveLength(3);
    expect((await outcomesOf(world, 'one', 9)).toSorted()).toEqual([
      ...Array.from({ length: 6 }, () => 'cached'),
      ...Array.from({ length: 3 }, () => 'succeeded'),
    ]);
  });

  it('the batch of the row that others wait for is paused', async () => {
    const world = await createWorld();
    const leader = await withLeader(world);
    await world.fill([tts()], { name: 'b', cache: 'on' });
    const watch = countLooks();
    const waiting = workOn(await world.worker(watch), 'b');
    await waitFor(() => watch.seen() > 1);
    await (await world.look()).setControl('leader', 'paused');
    leader.release();
    await waiting;
    await leader.ended;
    expect(await outcomesOf(world, 'b')).toEqual(['cached']);
    expect(world.charges()).toHaveLength(1);
  });

  it('the batch of the row that others wait for is stopped at once', async () => {
    const world = await createWorld();
    const leader = await withLeader(world);
    await world.fill([tts()], { name: 'b', cache: 'on' });
    const watch = countLooks();
    const waiting = workOn(await world.worker(watch), 'b');
    await waitFor(() => watch.seen() > 1);
    expect(world.charges()).toHaveLength(1);
    // Its row is overdue: nobody waits for its job, so nobody waits for its result.
    await (await world.look()).stopNow('leader');
    await waiting;
    leader.release();
    await leader.ended;
    expect(await outcomesOf(world, 'b')).toEqual(['succeeded']);
    expect(world.charges()).toHaveLength(2);
  });

  it('the row that others wait for gets a new take', async () => {
    const fails = { on: 'create', fault: { kind: 'job-fails', message: 'no' }, times: 1 } as const;
    const world = await createWorld({ plan: { rules: [fails] } });
    await world.fill([tts(), tts(), tts()], { cache: 'on', retakes: 1 });
    await workOn(await world.worker(), 'b');
    // One more for the job that failed, whichever row goes on; none is paid for twice.
    expect(world.charges()).toHaveLength(2);
    const outcomes = await outcomesOf(world, 'b', 3);
    expect(outcomes.filter((outcome) => outcome === 'cached')).toHaveLength(2);
    expect(outcomes.filter((outcome) => outcome === 'succeeded')).toHaveLength(1);
  });

  it('the row that others wait for is unknown, then its answer comes', async () => {
    const world = await createWorld();
    await world.fill([tts()], { name: 'leader', cache: 'on' });
    const stop = world.holdAt('after-answer');
    void workOn(await world.worker({ atFaultPoint: stop.atFaultPoint }), 'leader').catch(() => undefined);
    await stop.reached;
    await world.fill([tts()], { name: 'b', cache: 'on' });
    const watch = countLooks();
    const waiting = workOn(await world.worker(watch), 'b');
    await waitFor(() => watch.seen() > 1);
    await workOn(await world.worker(), 'leader');
    expect(await outcomesOf(world, 'leader')).toEqual(['unknown']);
    await waiting;
    expect(await outcomesOf(world, 'b')).toEqual(['succeeded']);
    stop.release();
    await waitFor(async () => (await world.attempts(1, 'leader'))[0] === 'speech 1 accepted');
    await workOn(await world.worker(), 'leader');
    expect(await outcomesOf(world, 'leader')).toEqual(['succeeded']);
    // Each paid for its own; one was in doubt when the other was sent.
    expect(world.charges()).toHaveLength(2);
    expect(await (await world.look()).money('leader')).toMatchObject({ uncertain: 0 });
  });

  it('nobody works on the row that others wait for', async () => {
    const world = await createWorld();
    const leader = await world.worker();
    await world.fill([tts()], { name: 'leader', cache: 'on' });
    const { ledger, owner } = leader.deps;
    const resultKey = await keyAsRecorded(world);
    await ledger.intend({ ...keyOf(1), batch: 'leader' }, { ...INTENT, owner, resultKey });
    await ledger.beat({ owner, apiUrl: world.simulator.url, account: 'u1' });
    await world.fill([tts()], { name: 'b', cache: 'on' });
    const clock = movableClock();
    const watch = countLooks();
    const waiting = workOn(await world.worker({ ...watch, clock }), 'b');
    await waitFor(() => watch.seen() > 1);
    clock.move({ monotonic: 600_000 });
    // Its worker lives, however long that takes.
    const looks = watch.seen();
    await waitFor(() => watch.seen() > looks + 2);
    expect(await world.attempts(1)).toEqual([]);
    await ledger.forgetWorkers({ owner });
    const later = watch.seen();
    await waitFor(() => watch.seen() > later + 2);
    expect(await world.attempts(1)).toEqual([]);
    clock.move({ monotonic: 600_000 });
    await waiting;
    expect(await outcomesOf(world, 'b')).toEqual(['succeeded']);
    expect(world.charges()).toHaveLength(1);
  });

  it('killed while it waits for another row', async () => {
    const world = await createWorld();
    const leader = await withLeader(world);
    await world.fill([tts()], { name: 'b', cache: 'on' });
    const [watch, lane] = [countLooks(), new AbortController()];
    const waiting = workOn(await world.worker(watch), 'b', lane.signal);
    await waitFor(() => watch.seen() > 1);
    lane.abort();
    await waiting;
    // It left no record that anybody would have to wait for.
    expect(await world.attempts(1)).toEqual([]);
    leader.release();
    await leader.ended;
    await workOn(await world.worker(), 'b', undefined, 'next');
    expect(await outcomesOf(world, 'b')).toEqual(['cached']);
    expect(world.charges()).toHaveLength(1);
  });
});

const INTENT = { quoted: 1, quotedRest: 0, maxSending: 8 };

/** The key that the result of the row of these tests is known by, as a run leaves it. */
async function keyAsRecorded(world: World): Promise<string> {
  await world.fill([tts()], { name: 'key', cache: 'fresh' });
  const { ledger } = (await world.worker()).deps;
  const stop = world.holdAt('after-intent');
  void workOn(await world.worker({ atFaultPoint: stop.atFaultPoint }), 'key').catch(() => undefined);
  await stop.reached;
  const [charge] = (await ledger.readRow('key', 1))?.charges ?? [];
  await ledger.settle(
    { ...keyOf(1), batch: 'key' },
    { verdict: 'rejected' },
    { outcome: 'failed', failure: { class: 'BadRequest', message: 'no' } },
  );
  return charge?.resultKey ?? '';
}
