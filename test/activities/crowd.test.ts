import { describe, expect, it } from '@jest/globals';
import { Crowd } from '../../activities/crowd.ts';
import { waitFor } from '../support/wait-for.ts';

/** A ledger with so many running jobs, at a time. */
function worldOf(running: number): {
  running: number;
  /** How often it was asked for them. */
  asked: number;
  wall: number;
  ledger: { countRunning: () => Promise<number> };
  realm: { apiUrl: string; account: string };
  clock: { now: () => { wall: number } };
} {
  const world = {
    running,
    asked: 0,
    wall: 0,
    ledger: {
      countRunning: () => {
        world.asked += 1;
        return Promise.resolve(world.running);
      },
    },
    realm: { apiUrl: 'http://api', account: 'u1' },
    clock: { now: () => ({ wall: world.wall }) },
  };
  return world;
}

const forever = new AbortController().signal;

describe('a crowd', () => {
  it('holds nobody back before the API speaks of it, and counts who is inside', async () => {
    const world = worldOf(1_000);
    const crowd = new Crowd();
    const all = await Promise.all(Array.from({ length: 5 }, () => crowd.enter(world, forever)));
    expect(all).toHaveLength(5);
  });

  it('lets through as many as there is room for, not all who wait', async () => {
    const world = worldOf(4);
    const crowd = new Crowd();
    await crowd.refused(world);
    let entered = 0;
    const waiting = Array.from({ length: 6 }, async () => {
      const leave = await crowd.enter(world, forever);
      entered += 1;
      return leave;
    });
    world.running = 2;
    const first = await Promise.race(waiting);
    // All others have looked again since.
    const seen = world.asked;
    await waitFor(() => world.asked >= seen + 8);
    expect(entered).toBe(2);
    // One got its answer and its job is over, too: then there is room for the next.
    first();
    world.running = 0;
    world.wall = 3_600_000;
    for (const leave of await Promise.all(waiting)) if (leave !== first) leave();
    expect(entered).toBe(6);
  });

  it('stops waiting when the work is taken away', async () => {
    const world = worldOf(3);
    const crowd = new Crowd();
    await crowd.refused(world);
    const away = new AbortController();
    const waiting = crowd.enter(world, away.signal);
    away.abort();
    await expect(waiting).rejects.toThrow('aborted');
  });
});
