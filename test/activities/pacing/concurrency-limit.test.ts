import { afterEach, describe, expect, it } from '@jest/globals';
import { ConcurrencyLimit } from '../../../activities/pacing/concurrency-limit.ts';
import { waitFor } from '../../support/wait-for.ts';
import { limiterInMemory } from './limiter-in-memory.ts';

type Needs = Parameters<ConcurrencyLimit['enter']>[0];

interface World {
  running: number;
  /** How often it was asked how many jobs run. */
  counted: number;
  now: number;
  /** What a process of that name asks with. */
  readonly as: (owner: string) => Needs;
}

/** A ledger with so many running jobs, at a time. */
function worldOf(running: number): World {
  const ledger: Needs['ledger'] = {
    countRunning: () => {
      world.counted += 1;
      return Promise.resolve(world.running);
    },
    updateLimiter: limiterInMemory(),
  };
  const world: World = {
    running,
    counted: 0,
    now: 0,
    as: (owner) => ({
      ledger,
      owner,
      realm: { apiUrl: 'http://api', account: 'u1' },
      clock: { now: () => ({ wall: world.now, monotonic: world.now }) },
    }),
  };
  return world;
}

let end = new AbortController();
let forever = end.signal;

afterEach(() => {
  end.abort();
  end = new AbortController();
  forever = end.signal;
});

/** So many requests that want in, and get no answer; which of them are in. */
function queueUp(limit: ConcurrencyLimit, needs: Needs, wanted: number): { readonly inside: number[] } {
  const inside: number[] = [];
  for (let one = 0; one < wanted; one++) {
    limit.enter(needs, forever).then(
      () => inside.push(one),
      () => undefined,
    );
  }
  return { inside };
}

/** A process that was refused while four jobs ran, and its own request was the fifth. */
async function full(world: World, owner = 'p'): Promise<ConcurrencyLimit> {
  const limit = new ConcurrencyLimit();
  const leave = await limit.enter(world.as(owner), forever);
  await limit.refused({ ...world.as(owner), observe: () => undefined });
  leave();
  return limit;
}

describe('the limit of jobs at once', () => {
  it('holds nobody back before the API speaks of it, and counts no jobs', async () => {
    const world = worldOf(1_000);
    const limit = new ConcurrencyLimit();
    await Promise.all(Array.from({ length: 50 }, () => limit.enter(world.as('p'), forever)));
    expect(world.counted).toBe(0);
  });

  it('lets through as many as there is room for, not all who wait, and counts a few times a second', async () => {
    const world = worldOf(4);
    const limit = await full(world);
    world.running = 2;
    const entered = queueUp(limit, world.as('p'), 6);
    await waitFor(() => entered.inside.length === 2);
    const { counted } = world;
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(entered.inside).toHaveLength(2);
    expect(world.counted).toBe(counted);
    world.now = 300_001;
    await waitFor(() => entered.inside.length === 6);
  });

  it('gives the place of a job that was seen to end to the next at once, and counts it once', async () => {
    const world = worldOf(4);
    const limit = await full(world);
    const entered = queueUp(limit, world.as('p'), 6);
    limit.ended('a');
    limit.ended('a');
    await waitFor(() => entered.inside.length === 1);
    // Still on record as running: it is not waited for all the same.
    world.now = 300;
    limit.ended('b');
    await waitFor(() => entered.inside.length === 2);
    for (const job of ['a', 'b']) limit.settled(job);
    expect(entered.inside).toHaveLength(2);
  });

  it('tells other processes, and shares the room with them', async () => {
    const world = worldOf(4);
    const one = await full(world);
    const other = new ConcurrencyLimit();
    world.now = 250;
    world.running = 0;
    const first = queueUp(one, world.as('p'), 6);
    await waitFor(() => first.inside.length === 4);
    world.now = 500;
    const second = queueUp(other, world.as('q'), 6);
    world.running = 2;
    await waitFor(() => second.inside.length === 1);
  });

  it('stops waiting when the work is taken away', async () => {
    const world = worldOf(3);
    const limit = await full(world);
    const away = new AbortController();
    const waiting = limit.enter(world.as('p'), away.signal);
    away.abort();
    await expect(waiting).rejects.toThrow('aborted');
  });
});
