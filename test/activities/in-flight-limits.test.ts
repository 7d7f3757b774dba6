import { describe, expect, it } from '@jest/globals';
import { InFlightLimits } from '../../activities/in-flight-limits.ts';

describe('the limits of requests in flight', () => {
  it('bounds what runs at once, batch by batch', async () => {
    const limits = new InFlightLimits();
    const ends: (() => void)[] = [];
    const start = async (batch: string, submits: number): Promise<void> => {
      const window = limits.of(batch, submits);
      await window.enter();
      await new Promise<void>((resolve) => ends.push(resolve));
      window.leave();
    };
    const running = [start('a', 2), start('a', 2), start('a', 2), start('b', 1)];
    expect([limits.of('a', 2).inFlight, limits.of('a', 2).queued, limits.of('b', 1).inFlight]).toEqual([2, 1, 1]);
    // A bound that was changed holds for what waits already.
    expect([limits.of('a', 3).inFlight, limits.of('a', 3).queued]).toEqual([3, 0]);
    // What is in stays, and nobody comes in its place.
    running.push(start('a', 1));
    expect([limits.of('a', 1).inFlight, limits.of('a', 1).queued]).toEqual([3, 1]);
    await Promise.resolve();
    for (let end = ends.shift(); end !== undefined; end = ends.shift()) {
      end();
      await new Promise((resolve) => setImmediate(resolve));
    }
    await Promise.all(running);
    expect([limits.of('a', 3).inFlight, limits.of('a', 3).queued]).toEqual([0, 0]);
  });
});
