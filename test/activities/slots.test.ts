import { describe, expect, it } from '@jest/globals';
import { readInTurn, reportHealth, waitForSlot } from '../../activities/slots.ts';
import { ApiError } from '../../api/speech-api.ts';
import type { Failure, FailureClass } from '../../contract/failures.ts';
import type { RateState } from '../../workflows/policy/rate.ts';
import { waitFor } from '../support/wait-for.ts';
import { BATCH, keyOf, tts } from './rows.ts';
import { movableClock } from './worker.ts';
import { createWorld, type World } from './world.ts';

const NEVER = new AbortController().signal;

/** The shared limiter as it stands. */
async function stateOf(world: World, endpoint: 'create' | 'read'): Promise<RateState> {
  const ledger = await world.look();
  return ledger.updateLimiter(`${world.simulator.url} u1 ${endpoint}`, (state: RateState | undefined) => {
    if (state === undefined) throw new Error('nobody asked the limiter');
    return { state, result: state };
  });
}

function failureOf(failureClass: FailureClass, retryAfterMs?: number): Failure {
  return { class: failureClass, message: 'no', ...(retryAfterMs === undefined ? {} : { retryAfterMs }) };
}

describe('waitForSlot', () => {
  it('gives turns at the rate of the user, whichever worker asks', async () => {
    const world = await createWorld();
    await world.fill([tts()], { limits: { rate: 50 } });
    const [one, two] = await Promise.all([world.worker(), world.worker()]);
    const begin = Date.now();
    await Promise.all([one, two, one, two].map((worker) => waitForSlot(worker.deps, 'create', BATCH, NEVER)));
    expect((await stateOf(world, 'create')).lastAt).toBeGreaterThanOrEqual(begin + 60);
  });

  it('hears within a second that the user raised the rate', async () => {
    const world = await createWorld();
    await world.fill([tts()], { limits: { rate: 0.001 } });
    const worker = await world.worker();
    await waitForSlot(worker.deps, 'create', BATCH, NEVER);
    const waiting = [1, 2, 3].map(() => waitForSlot(worker.deps, 'create', BATCH, NEVER));
    await (await world.look()).tune(BATCH, { limits: { rate: 20 } });
    await Promise.all(waiting);
    expect((await stateOf(world, 'create')).gapMs).toBe(50);
  });

  it('lets go of a paid request whose batch was paused, for its intent will be refused', async () => {
    const world = await createWorld();
    await world.fill([tts()], { limits: { rate: 0.001, pollRate: 1000 } });
    const worker = await world.worker();
    await waitForSlot(worker.deps, 'create', BATCH, NEVER);
    const waiting = worker.submit(keyOf(1));
    await (await world.look()).setControl(BATCH, 'paused');
    expect(await waiting).toMatchObject({ verdict: 'held', control: 'paused' });
    await waitForSlot(worker.deps, 'read', BATCH, NEVER);
  });

  it('keeps paid requests and reads apart', async () => {
    const world = await createWorld();
    await world.fill([tts()]);
    const worker = await world.worker();
    await reportHealth(worker.deps, 'create', Date.now(), failureOf('RateLimited', 600_000));
    await waitForSlot(worker.deps, 'read', BATCH, NEVER);
    expect((await stateOf(world, 'create')).pausedUntil).toBeGreaterThan(Date.now() + 500_000);
    expect((await stateOf(world, 'read')).pausedUntil).toBe(0);
  });

  it('waits out the pause that another worker was asked for, and stops waiting when told to', async () => {
    const world = await createWorld();
    await world.fill([tts()]);
    const clock = movableClock();
    const [one, two] = await Promise.all([world.worker({ clock }), world.worker({ clock })]);
    await reportHealth(one.deps, 'create', clock.now().wall, failureOf('RateLimited', 600_000));
    const stop = new AbortController();
    const waiting = waitForSlot(two.deps, 'create', BATCH, stop.signal);
    stop.abort();
    await expect(waiting).rejects.toThrow();
    clock.move({ wall: 600_001 });
    await waitForSlot(two.deps, 'create', BATCH, NEVER);
    await expect(waitForSlot(two.deps, 'create', BATCH, stop.signal)).rejects.toThrow();
  });
});

describe('readInTurn', () => {
  it('backs off from trouble, and forgets it after a good answer', async () => {
    const world = await createWorld();
    await world.fill([tts()]);
    const clock = movableClock();
    const { deps } = await world.worker({ clock });
    const failing = (): Promise<never> => Promise.reject(new ApiError(failureOf('ServiceDown')));
    for (let trouble = 1; trouble <= 3; trouble++) {
      await expect(readInTurn(deps, BATCH, NEVER, failing)).rejects.toThrow(ApiError);
      expect((await stateOf(world, 'read')).troubles).toBe(trouble);
      clock.move({ wall: 60_000 });
    }
    expect(await readInTurn(deps, BATCH, NEVER, () => Promise.resolve('good'))).toBe('good');
    expect((await stateOf(world, 'read')).troubles).toBe(0);
  });

  it('does not take its own end for trouble of the API', async () => {
    const world = await createWorld();
    await world.fill([tts()]);
    const { deps } = await world.worker();
    const stop = new AbortController();
    const reading = readInTurn(deps, BATCH, stop.signal, () => {
      stop.abort();
      return Promise.reject(new ApiError(failureOf('NotSent')));
    });
    await expect(reading).rejects.toThrow(ApiError);
    expect((await stateOf(world, 'read')).troubles).toBe(0);
  });

  it('keeps to the number of reads on the wire', async () => {
    const world = await createWorld();
    await world.fill([tts()]);
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
