import { describe, expect, it } from '@jest/globals';
import { Window } from '../../activities/window.ts';

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
