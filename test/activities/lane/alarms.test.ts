import { describe, expect, it } from '@jest/globals';
import { Alarms } from '../../../activities/lane/alarms.ts';

const LONG_MS = 600_000;

describe('Alarms', () => {
  it('wakes everybody who sleeps when it rings, and nobody who falls asleep later', async () => {
    const alarms = new Alarms();
    const early = Promise.all([alarms.sleep(LONG_MS), alarms.sleep(LONG_MS)]);
    alarms.ring();
    await early;
    let isAwake = false;
    const late = alarms.sleep(LONG_MS).then(() => (isAwake = true));
    await new Promise((resolve) => setImmediate(resolve));
    expect(isAwake).toBe(false);
    alarms.off();
    await late;
  });

  it('lets nobody sleep any more once it is off', async () => {
    const alarms = new Alarms();
    alarms.off();
    await alarms.sleep(LONG_MS);
    await alarms.sleepDuring(new Promise(() => undefined));
  });

  it('wakes who sleeps during some work when that ends, well or not, or when it rings', async () => {
    const alarms = new Alarms();
    expect(await alarms.sleepDuring(Promise.resolve('a result'))).toBe('a result');
    expect(await alarms.sleepDuring(Promise.reject<string>(new Error('it failed')))).toBeUndefined();
    const sleeping = alarms.sleepDuring(new Promise(() => undefined));
    alarms.ring();
    expect(await sleeping).toBeUndefined();
  });

  it('tells who was busy meanwhile that it rang', () => {
    const alarms = new Alarms();
    const { rings } = alarms;
    expect(alarms.rings).toBe(rings);
    alarms.ring();
    expect(alarms.rings).not.toBe(rings);
  });

  it('does not let anybody sleep for a time that is over', async () => {
    await new Alarms().sleep(-1);
  });
});
