import { describe, expect, it } from '@jest/globals';
import { InFlightLimits } from '../../activities/in-flight-limits.ts';

describe('the limits of requests in flight', () => {
  it('bounds what runs at once, batch by batch', async () => {
    const limits = new InFlightLimits();
    const ends: (() => void)[] = [];
    const start = (batch: string, submits: number): Promise<void> =>
      limits.of(batch, submits)(() => new Promise<void>((resolve) => ends.push(resolve)));
    const running = [start('a', 2), start('a', 2), start('a', 2), start('b', 1)];
    await Promise.resolve();
    expect(limits.of('a', 2).activeCount).toBe(2);
    expect(limits.of('a', 2).pendingCount).toBe(1);
    expect(limits.of('b', 1).activeCount).toBe(1);
    // A bound that was changed holds for what waits already.
    expect(limits.of('a', 3).concurrency).toBe(3);
    await Promise.resolve();
    for (let end = ends.shift(); end !== undefined; end = ends.shift()) {
      end();
      await new Promise((resolve) => setImmediate(resolve));
    }
    await Promise.all(running);
    expect(limits.of('a', 3).activeCount).toBe(0);
  });
});
