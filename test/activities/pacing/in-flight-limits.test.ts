import { describe, expect, it } from '@jest/globals';
import { InFlightLimits, Window } from '../../../activities/pacing/in-flight-limits.ts';

it('the limits of requests in flight bound what runs at once, batch by batch', async () => {
  const limits = new InFlightLimits();
  const ends: (() => void)[] = [];
  const start = async (batch: string, submits: number): Promise<void> => {
    ends.push(await limits.enter(batch, submits));
  };
  const running = [start('a', 2), start('a', 2), start('a', 2), start('b', 1)];
  expect([limits.of('a', 2).inFlight, limits.of('a', 2).queued, limits.of('b', 1).inFlight]).toEqual([2, 1, 1]);
  // A bound that was changed holds for what waits already.
  expect([limits.of('a', 3).inFlight, limits.of('a', 3).queued]).toEqual([3, 0]);
  // What is in stays, and nobody comes in its place.
  running.push(start('a', 1));
  expect([limits.of('a', 1).inFlight, limits.of('a', 1).queued]).toEqual([3, 1]);
  await settle();
  for (let end = ends.shift(); end !== undefined; end = ends.shift()) {
    end();
    await settle();
  }
  await Promise.all(running);
  expect([limits.of('a', 3).inFlight, limits.of('a', 3).queued]).toEqual([0, 0]);
});

/** Who is in, in the order in which they came in. */
function queueUp(window: Window, names: readonly string[]): string[] {
  const inside: string[] = [];
  for (const name of names) void window.enter().then(() => inside.push(name));
  return inside;
}

/** Lets all who may come in do so. */
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('the window', () => {
  it('lets in as many as there is room for, and the next in the order in which they came', async () => {
    const window = new Window(2);
    const inside = queueUp(window, ['a', 'b', 'c', 'd']);
    await settle();
    expect([inside, window.inFlight, window.queued]).toEqual([['a', 'b'], 2, 2]);
    window.leave();
    await settle();
    expect([inside, window.queued]).toEqual([['a', 'b', 'c'], 1]);
  });

  it('takes in who was begun before, room or not, and lets nobody else in until there is room again', async () => {
    const window = new Window(1);
    window.force();
    window.force();
    const inside = queueUp(window, ['a']);
    window.leave();
    await settle();
    expect(inside).toEqual([]);
    window.leave();
    await settle();
    expect(inside).toEqual(['a']);
  });

  it('puts nobody out when it shrinks, and lets more in when it grows', async () => {
    const window = new Window(2);
    const inside = queueUp(window, ['a', 'b', 'c', 'd']);
    window.resize(1);
    window.leave();
    await settle();
    expect(inside).toEqual(['a', 'b']);
    window.resize(3);
    await settle();
    expect(inside).toEqual(['a', 'b', 'c', 'd']);
  });

  it('lets everybody in when the lane ends', async () => {
    const window = new Window(1);
    const inside = queueUp(window, ['a', 'b', 'c']);
    window.open();
    await settle();
    expect(inside).toEqual(['a', 'b', 'c']);
  });
});
