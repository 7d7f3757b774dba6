import { describe, expect, it } from '@jest/globals';
import { WakeUps } from '../../../activities/lane/wake-ups.ts';

const LONG_MS = 600_000;

describe('wake-ups', () => {
  it('wakes everybody who sleeps when there is one, and nobody who falls asleep later', async () => {
    const wakeUps = new WakeUps();
    const early = Promise.all([wakeUps.sleep(LONG_MS), wakeUps.sleep(LONG_MS)]);
    wakeUps.wakeAll();
    await early;
    let isAwake = false;
    const late = wakeUps.sleep(LONG_MS).then(() => (isAwake = true));
    await new Promise((resolve) => setImmediate(resolve));
    expect(isAwake).toBe(false);
    wakeUps.stop();
    await late;
  });

  it('lets nobody sleep any more once they are stopped', async () => {
    const wakeUps = new WakeUps();
    wakeUps.stop();
    await wakeUps.sleep(LONG_MS);
    await wakeUps.sleepDuring(new Promise(() => undefined));
  });

  it('wakes who sleeps during some work when that ends, well or not, or when there is one', async () => {
    const wakeUps = new WakeUps();
    expect(await wakeUps.sleepDuring(Promise.resolve('a result'))).toBe('a result');
    expect(await wakeUps.sleepDuring(Promise.reject<string>(new Error('it failed')))).toBeUndefined();
    const sleeping = wakeUps.sleepDuring(new Promise(() => undefined));
    wakeUps.wakeAll();
    expect(await sleeping).toBeUndefined();
  });

  it('tells who was busy meanwhile that there was one', () => {
    const wakeUps = new WakeUps();
    const { count } = wakeUps;
    expect(wakeUps.count).toBe(count);
    wakeUps.wakeAll();
    expect(wakeUps.count).not.toBe(count);
  });

  it('does not let anybody sleep for a time that is over', () => new WakeUps().sleep(-1));
});
