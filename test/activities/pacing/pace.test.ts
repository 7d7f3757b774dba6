/** @slow */
import { describe, expect, it } from '@jest/globals';
import type { Dependencies } from '../../../activities/dependencies.ts';
import type { Turn } from '../../../activities/pacing/pace.ts';
import { readInTurn } from '../../../activities/polling/read-in-turn.ts';
import { waitUntilDue } from '../../../activities/pacing/pace.ts';
import { reportHealth } from '../../../activities/pacing/report-health.ts';
import { ApiError } from '../../../api/speech-api.ts';
import type { Failure, FailureClass } from '../../../contract/failures.ts';
import type { WorkEvent } from '../../../contract/work-events.ts';
import type { Ledger } from '../../../ledger/ledger.ts';
import type { LimiterStep } from '../../../policy/pacing/limiter-step.ts';
import { waitFor } from '../../support/wait-for.ts';
import { BATCH, keyOf, settingsOf, tts } from '../rows.ts';
import { movableClock, type Worker } from '../worker.ts';
import { createWorld, begin, type World } from '../world.ts';

const NEVER = new AbortController().signal;

function failureOf(failureClass: FailureClass, retryAfterMs?: number): Failure {
  return { class: failureClass, message: 'no', ...(retryAfterMs === undefined ? {} : { retryAfterMs }) };
}

/** For how long nobody may call now, as the shared limiter says. */
async function pauseOf(world: World, endpoint: 'create' | 'read', now = Date.now()): Promise<number> {
  const { ledger } = world;
  const step = { type: 'answered', now, sentAt: 0 } as const;
  return (await ledger.updateLimiter(`${world.simulator.url} u1 ${endpoint}`, step)).pauseMs;
}

/** Waits for a call's turn, and for its very moment. */
async function waitForSlot(
  deps: Dependencies,
  endpoint: 'create' | 'read',
  batch: string,
  signal: AbortSignal,
): Promise<void> {
  await waitUntilDue(deps, await deps.pace.take(deps, endpoint, batch, signal));
}

/** Makes a call and tells what came of it. */
async function call({ deps }: Worker, endpoint: 'create' | 'read', failure: Failure | null): Promise<void> {
  await reportHealth(deps, await deps.pace.take(deps, endpoint, BATCH, NEVER), failure);
}

/** A batch with a rate of its own, as the ledger is given it. */
function aBatch(name: string, rate: number | null, apiUrl: string): Parameters<Ledger['createBatch']>[0] {
  const settings = settingsOf({ limits: { rate } });
  return { name, digest: name, apiUrl, account: 'u1', settings, columns: ['id'], source: 'b.csv' };
}

/** A worker of whom it is known what it asked of the limiters. */
async function watched(world: World): Promise<{ worker: Worker; steps: LimiterStep['type'][] }> {
  const steps: LimiterStep['type'][] = [];
  const change = ({ ledger }: Dependencies): Partial<Dependencies> => ({
    ledger: {
      ...ledger,
      updateLimiter: (scope, step) => {
        steps.push(step.type);
        return ledger.updateLimiter(scope, step);
      },
    },
  });
  return { worker: await world.worker({ change }), steps };
}

describe('turns of calls', () => {
  it('gives turns at the rate of the user, whichever worker asks', async () => {
    const { world } = await begin([tts()], { wanted: { limits: { rate: 20 } } });
    const [one, two] = await Promise.all([world.worker(), world.worker()]);
    // Both are known by then, so that nobody makes up for slots that the other has.
    await Promise.all([one, two].map((worker) => waitForSlot(worker.deps, 'create', BATCH, NEVER)));
    const from = performance.now();
    const turns = [one, two, one, two, one, two].map((worker) => waitForSlot(worker.deps, 'create', BATCH, NEVER));
    await Promise.all(turns);
    expect(performance.now() - from).toBeGreaterThanOrEqual(100);
  });

  it('does not ask the ledger for each call, with a limit or without', async () => {
    for (const rate of [null, 10_000]) {
      const { world } = await begin([tts()], { wanted: { limits: { rate } } });
      const { worker, steps } = await watched(world);
      const from = performance.now();
      for (let turn = 0; turn < 300; turn++) await call(worker, 'create', null);
      expect(steps.length).toBeLessThanOrEqual(2 + (performance.now() - from) / 250);
      expect(new Set(steps)).toEqual(new Set(['lease']));
    }
  });

  it('hears within a second that the user raised the rate', async () => {
    const { world, worker } = await begin([tts()], { wanted: { limits: { rate: 0.001 } } });
    await waitForSlot(worker.deps, 'create', BATCH, NEVER);
    const waiting = [1, 2, 3].map(() => waitForSlot(worker.deps, 'create', BATCH, NEVER));
    await world.ledger.tune(BATCH, { limits: { rate: 20 } });
    await Promise.all(waiting);
  });

  it('knows what users have stated for the calls of all batches in the last second', async () => {
    const world = await createWorld();
    const { ledger } = world;
    const rates = { quick: 500, slow: 100, free: null };
    for (const [name, rate] of Object.entries(rates)) await ledger.createBatch(aBatch(name, rate, world.simulator.url));
    const { deps } = await world.worker();
    const turnAt = async (batch: keyof typeof rates, at: number): Promise<Turn> => {
      const turn = await deps.pace.take(deps, 'create', batch, NEVER);
      turn.slot.at = at;
      return turn;
    };
    expect(deps.pace.statedFor(await turnAt('quick', 0))).toBe(500);
    expect(deps.pace.statedFor(await turnAt('slow', 500))).toBe(500);
    expect(deps.pace.statedFor(await turnAt('slow', 1_500))).toBe(100);
    expect(deps.pace.statedFor(await turnAt('free', 10_000))).toBeNull();
    expect(deps.pace.statedFor(await turnAt('slow', 10_500))).toBeNull();
  });

  it('lets go of a paid request whose batch was paused, for its intent will be refused', async () => {
    const { world, worker } = await begin([tts()], { wanted: { limits: { rate: 0.001, pollRate: 1000 } } });
    await waitForSlot(worker.deps, 'create', BATCH, NEVER);
    const waiting = worker.submit(keyOf(1));
    await world.ledger.setControl(BATCH, 'paused');
    expect(await waiting).toMatchObject({ verdict: 'blocked' });
    await waitForSlot(worker.deps, 'read', BATCH, NEVER);
  });

  it('keeps paid requests and reads apart', async () => {
    const { world, worker } = await begin([tts()]);
    await call(worker, 'create', failureOf('RateLimited', 600_000));
    await waitForSlot(worker.deps, 'read', BATCH, NEVER);
    expect(await pauseOf(world, 'create')).toBeGreaterThan(500_000);
    expect(await pauseOf(world, 'read')).toBe(0);
  });

  it('waits out the pause that another worker was asked for, and stops waiting when told to', async () => {
    const { world } = await begin([tts()]);
    const clock = movableClock();
    const [one, two] = await Promise.all([world.worker({ clock }), world.worker({ clock })]);
    await call(one, 'create', failureOf('RateLimited', 600_000));
    const stop = new AbortController();
    const waiting = waitForSlot(two.deps, 'create', BATCH, stop.signal);
    stop.abort();
    await expect(waiting).rejects.toThrow();
    clock.move({ wall: 600_001 });
    await waitForSlot(two.deps, 'create', BATCH, NEVER);
    await expect(waitForSlot(two.deps, 'create', BATCH, stop.signal)).rejects.toThrow();
  });

  it('tells those who wait that the ledger is gone', async () => {
    const { world } = await begin([tts()]);
    const { deps } = await world.worker({
      ledger: () => ({ updateLimiter: () => Promise.reject(new Error('no such ledger')) }),
    });
    await expect(waitForSlot(deps, 'create', BATCH, NEVER)).rejects.toThrow('no such ledger');
  });
});

describe('reportHealth', () => {
  it.each<[FailureClass, boolean]>([
    ['NotSent', true],
    ['ServiceDown', true],
    ['OutcomeUnknown', true],
    ['BadToken', false],
    ['OutOfCredits', false],
    ['BadRequest', false],
  ])('after three calls in a row that ended as %s: everybody pauses: %j', async (failureClass, pauses) => {
    const { world, worker } = await begin([tts()]);
    for (let trouble = 1; trouble <= 3; trouble++) {
      expect(await pauseOf(world, 'create')).toBe(0);
      await call(worker, 'create', failureOf(failureClass));
    }
    expect((await pauseOf(world, 'create')) > 0).toBe(pauses);
  });

  it('tells why everybody pauses, without the words of the API, and that it goes on', async () => {
    const { world } = await begin([tts()]);
    const events: WorkEvent[] = [];
    const worker = await world.worker({ change: () => ({ observe: (event) => events.push(event) }) });
    const down: Failure = {
      ...failureOf('ServiceDown', 1),
      message: 'no: Hello.',
      cause: '503 busy from POST /x',
      status: 503,
    };
    await call(worker, 'create', down);
    await call(worker, 'create', null);
    expect(events.filter(({ type }) => type === 'limiter')).toEqual([
      {
        ...{ type: 'limiter', of: 'create', is: 'trouble', pauseMs: expect.any(Number) },
        ...{ failure: 'ServiceDown', status: 503, cause: '503 busy from POST /x' },
      },
      { type: 'limiter', of: 'create', is: 'well', pauseMs: 0 },
    ]);
  });

  it('does not stop everybody for a few calls among many that fail', async () => {
    const { world } = await begin([tts()]);
    const { worker, steps } = await watched(world);
    for (let turn = 0; turn < 20; turn++) await call(worker, 'create', turn % 3 < 2 ? failureOf('ServiceDown') : null);
    expect(new Set(steps)).toEqual(new Set(['lease']));
  });

  it('heeds what a service that is down asks for, at once', async () => {
    const { world } = await begin([tts()]);
    await call(await world.worker(), 'create', failureOf('ServiceDown', 30_000));
    expect(await pauseOf(world, 'create')).toBeGreaterThan(20_000);
  });

  it('does not take too many jobs at once for too fast', async () => {
    const { world } = await begin([tts()]);
    await call(await world.worker(), 'create', { ...failureOf('RateLimited', 30_000), limit: 'concurrency' });
    expect(await pauseOf(world, 'create')).toBe(0);
  });

  it('takes refusals of calls that were on the wire together for one', async () => {
    const { world } = await begin([tts()]);
    const { worker, steps } = await watched(world);
    const { deps } = worker;
    const turns = await Promise.all([1, 2, 3, 4].map(() => deps.pace.take(deps, 'create', BATCH, NEVER)));
    for (const turn of turns) await waitUntilDue(deps, turn);
    for (const turn of turns) await reportHealth(deps, turn, failureOf('RateLimited'));
    expect(steps.filter((step) => step === 'refused')).toHaveLength(1);
  });
});

it('the backlog of a pace is as long as the calls that wait for their turn will take', async () => {
  const { world } = await begin([tts()], { wanted: { limits: { rate: 2 } } });
  const { deps } = await world.worker();
  const stop = new AbortController();
  expect(deps.pace.backlogMs('create', BATCH)).toBe(0);
  await waitForSlot(deps, 'create', BATCH, NEVER);
  expect(deps.pace.backlogMs('create', BATCH)).toBe(0);
  const waiting = [1, 2, 3].map(() => waitForSlot(deps, 'create', BATCH, stop.signal));
  expect(deps.pace.backlogMs('create', BATCH)).toBe(1_500);
  stop.abort();
  await Promise.allSettled(waiting);
  expect(deps.pace.backlogMs('create', BATCH)).toBe(0);
});

describe('readInTurn', () => {
  it('backs off from trouble, and forgets it after a good answer', async () => {
    const { world } = await begin([tts()]);
    const clock = movableClock();
    const { deps } = await world.worker({ clock });
    const failing = (): Promise<never> => Promise.reject(new ApiError(failureOf('ServiceDown')));
    const pauses: number[] = [];
    for (let trouble = 1; trouble <= 7; trouble++) {
      await expect(readInTurn(deps, BATCH, NEVER, failing)).rejects.toThrow(ApiError);
      pauses.push(Math.ceil((await pauseOf(world, 'read', clock.now().wall)) / 250));
      clock.move({ wall: 60_000, monotonic: 60_000 });
    }
    expect(pauses).toEqual([0, 0, 0, 0, 1, 2, 4]);
    expect(await readInTurn(deps, BATCH, NEVER, () => Promise.resolve('good'))).toBe('good');
    for (let trouble = 1; trouble <= 4; trouble++) {
      await expect(readInTurn(deps, BATCH, NEVER, failing)).rejects.toThrow(ApiError);
    }
    expect(await pauseOf(world, 'read', clock.now().wall)).toBe(0);
  });

  it('does not take its own end for trouble of the API', async () => {
    const { world } = await begin([tts()]);
    const { worker, steps } = await watched(world);
    const stop = new AbortController();
    const reading = readInTurn(worker.deps, BATCH, stop.signal, () => {
      stop.abort();
      return Promise.reject(new ApiError(failureOf('ServiceDown', 30_000)));
    });
    await expect(reading).rejects.toThrow(ApiError);
    expect(steps).toEqual(['lease']);
  });

  it('keeps to the number of reads on the wire', async () => {
    const { world } = await begin([tts()]);
    const { deps } = await world.worker();
    let [now, most] = [0, 0];
    let open: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => (open = resolve));
    const read = async (): Promise<void> => {
      most = Math.max(most, ++now);
      await gate;
      now -= 1;
    };
    const all = Promise.all(Array.from({ length: 100 }, () => readInTurn(deps, BATCH, NEVER, read)));
    await waitFor(() => deps.reads.activeCount + deps.reads.pendingCount === 100);
    open();
    await all;
    expect(most).toBe(deps.reads.concurrency);
  });
});
