import { describe, expect, it } from '@jest/globals';
import { Places } from '../../../activities/lane/places.ts';

/** Who is in, in the order in which they came in. */
function queueUp(places: Places, names: readonly string[]): string[] {
  const inside: string[] = [];
  for (const name of names) void places.enter().then(() => inside.push(name));
  return inside;
}

/** Lets all who may come in do so. */
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('Places', () => {
  it('lets in as many as there is room for, and the next in the order in which they came', async () => {
    const places = new Places(2);
    const inside = queueUp(places, ['a', 'b', 'c', 'd']);
    await settle();
    expect([inside, places.taken, places.queued]).toEqual([['a', 'b'], 2, 2]);
    places.leave();
    await settle();
    expect([inside, places.queued]).toEqual([['a', 'b', 'c'], 1]);
  });

  it('takes in who was begun before, room or not, and lets nobody else in until there is room again', async () => {
    const places = new Places(1);
    places.force();
    places.force();
    const inside = queueUp(places, ['a']);
    places.leave();
    await settle();
    expect(inside).toEqual([]);
    places.leave();
    await settle();
    expect(inside).toEqual(['a']);
  });

  it('puts nobody out when it shrinks, and lets more in when it grows', async () => {
    const places = new Places(2);
    const inside = queueUp(places, ['a', 'b', 'c', 'd']);
    places.resize(1);
    places.leave();
    await settle();
    expect(inside).toEqual(['a', 'b']);
    places.resize(3);
    await settle();
    expect(inside).toEqual(['a', 'b', 'c', 'd']);
  });

  it('lets everybody in when the lane ends', async () => {
    const places = new Places(1);
    const inside = queueUp(places, ['a', 'b', 'c']);
    places.open();
    await settle();
    expect(inside).toEqual(['a', 'b', 'c']);
  });
});
