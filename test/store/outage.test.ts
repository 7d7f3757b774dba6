import { beforeEach, describe, expect, it } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import { Outage } from '../../store/outage.ts';

const NEVER = new AbortController().signal;

/** A place that is away until it is said to be back. */
class Place {
  readonly outage = new Outage(60_000, (error) =>
    error instanceof RangeError ? { problem: error.message } : undefined,
  );
  isAway = true;
  asked = 0;

  ask(): Promise<string> {
    return this.outage.repeat(() => {
      this.asked++;
      if (this.isAway) throw new RangeError('no answer');
      return Promise.resolve('answer');
    });
  }

  async untilTrouble(): Promise<void> {
    while (this.outage.trouble === undefined) await new Promise(setImmediate);
  }
}

it('a place that needs a person is waited for only by who waits without limit', async () => {
  const outage = new Outage(60_000, () => ({ problem: 'it refuses', needsPerson: true }));
  const refuse = (): Promise<never> => Promise.reject(new Error('it refuses'));
  await expect(outage.repeat(refuse)).rejects.toThrow('it refuses');
  outage.limit(Infinity);
  const waiting = expect(outage.repeat(refuse)).rejects.toThrow('it refuses');
  while (outage.trouble === undefined) await new Promise(setImmediate);
  expect(outage.status).toMatchObject({ problem: 'it refuses', needsPerson: true });
  outage.limit(60_000);
  await waiting;
});

describe('a place that does not answer', () => {
  let place: Place;
  beforeEach(() => {
    place = new Place();
  });

  it('is asked until it does, and whoever waits for that hears of it', async () => {
    const asking = place.ask();
    await place.untilTrouble();
    expect(place.outage.trouble).toBe('no answer');
    const heard = place.outage.whenAnswered(NEVER);
    place.isAway = false;
    expect(await asking).toBe('answer');
    await heard;
    expect(place.outage.trouble).toBeUndefined();
  });

  it('is not waited for any more once the last that asked has given up: nobody would notice that it is back', async () => {
    place.outage.limit(300);
    const givenUp = expect(place.ask()).rejects.toThrow('no answer');
    await place.untilTrouble();
    const heard = place.outage.whenAnswered(NEVER);
    await givenUp;
    await heard;
    expect(place.outage.trouble).toBeUndefined();
  });

  it('is waited for as long as another still asks', async () => {
    let isRefused = false;
    const refused = place.outage.repeat<string>(() => {
      throw isRefused ? new Error('it may not') : new RangeError('no answer');
    });
    await place.untilTrouble();
    const asking = place.ask();
    while (place.asked < 2) await new Promise(setImmediate);
    let heard = false;
    const hearing = place.outage.whenAnswered(NEVER).then(() => (heard = true));
    isRefused = true;
    await expect(refused).rejects.toThrow('it may not');
    expect([heard, place.outage.trouble]).toEqual([false, 'no answer']);
    place.isAway = false;
    await Promise.all([asking, hearing]);
  });

  it('is no trouble once it has answered another, but whoever still waits is news', async () => {
    const asking = place.ask();
    await place.untilTrouble();
    await place.outage.repeat(() => Promise.resolve());
    expect([place.outage.trouble, place.outage.status?.problem]).toEqual([undefined, 'no answer']);
    await place.untilTrouble();
    place.isAway = false;
    await asking;
    expect(place.outage.status).toBeUndefined();
  });

  it('is not waited for by who has to end', async () => {
    const asking = place.ask();
    await place.untilTrouble();
    const ending = new AbortController();
    const heard = place.outage.whenAnswered(ending.signal);
    ending.abort();
    await heard;
    place.isAway = false;
    await asking;
  });

  it('is given up at once by all that wait when waiting ends, and by those that come later', async () => {
    const asking = Array.from({ length: 20 }, () => expect(place.ask()).rejects.toThrow('no answer'));
    while (place.asked < 60) await new Promise(setImmediate);
    place.outage.limit(0);
    const { asked } = place;
    await Promise.all(asking);
    expect(place.asked).toBe(asked + 20);
    await expect(place.ask()).rejects.toThrow('no answer');
    expect(place.asked).toBe(asked + 21);
  });
});

describe('what is told of it', () => {
  it('is that it says nothing, once an answer takes too long', async () => {
    const outage = new Outage(60_000, () => undefined, { ms: 0, problem: 'it says nothing' });
    let answer = (): void => undefined;
    const ask = (): Promise<void> =>
      new Promise((resolve) => {
        answer = resolve;
      });
    expect(outage.status).toBeUndefined();
    const asking = outage.repeat(ask);
    expect(outage.status).toMatchObject({ problem: 'it says nothing' });
    answer();
    await asking;
    expect(outage.status).toBeUndefined();
  });

  it('is what was heard last, also by one that waits within another', async () => {
    const outage = new Outage(60_000, (error) => ({ problem: (error as Error).message }));
    const [first, ...others] = ['away', 'away', 'password refused'];
    const left = [...others];
    const connect = (): Promise<string> => {
      const why = left.length > 0 ? left.shift() : undefined;
      if (why !== undefined) throw new Error(why);
      return told;
    };
    let tell: (text: string) => void = () => undefined;
    const told = new Promise<string>((resolve) => {
      tell = resolve;
    });
    let tries = 0;
    const looking = outage.repeat(() => {
      tries += 1;
      if (tries === 1) throw new Error(first);
      return outage.repeat(connect);
    });
    while (left.length > 0) await new Promise(setImmediate);
    expect(outage.status).toMatchObject({ problem: 'password refused' });
    tell('there');
    expect(await looking).toBe('there');
  });
});

it('says for how long nothing went through, while it lasts and shortly after', async () => {
  const place = new Place();
  expect(place.outage.recentDowntimeMs(60_000)).toBe(0);
  const first = place.ask();
  await sleep(300);
  // Who comes later has seen less of it.
  const second = place.ask();
  await sleep(100);
  expect(place.outage.recentDowntimeMs(60_000)).toBeGreaterThanOrEqual(395);
  place.isAway = false;
  await Promise.all([first, second]);
  expect(place.outage.recentDowntimeMs(60_000)).toBeGreaterThanOrEqual(395);
  expect(place.outage.recentDowntimeMs(0)).toBe(0);
});

describe('many that wait', () => {
  const CROWD = { everyMs: 100, maxMs: 30_000 };
  let outage: Outage;
  beforeEach(() => {
    outage = new Outage(60_000, () => ({ problem: 'no' }), undefined, CROWD);
  });

  /** Operations of a kind that fail until `mend`, and how often they were tried. */
  function failing(kind: string, count: number) {
    const state = { tries: 0, isMended: false };
    const waiting = Array.from({ length: count }, () =>
      outage.repeat(() => {
        state.tries += 1;
        return state.isMended ? Promise.resolve() : Promise.reject(new Error('no'));
      }, kind),
    );
    return { state, waiting };
  }

  it('do not keep a place busy: the pauses grow with their number', async () => {
    const { state, waiting } = failing('put', 200);
    await sleep(1_500);
    // Each has tried at once, and waits for 10 s at least then; with pauses of its own only, it would have tried five times.
    expect(state.tries).toBeLessThan(2 * 200 + 20);
    state.isMended = true;
    outage.limit(60_000);
    await Promise.all(waiting);
  });

  it('go on at once when the place has answered one of their kind', async () => {
    const { state, waiting } = failing('put', 200);
    await sleep(300);
    state.isMended = true;
    await outage.repeat(() => Promise.resolve(), 'put');
    await Promise.all(waiting);
  });

  it('are not kept trying by answers to others, and are trouble as long as none of their kind has one', async () => {
    const { state, waiting } = failing('put', 200);
    await sleep(300);
    for (let n = 0; n < 20; n++) {
      await outage.repeat(() => Promise.resolve(), 'get');
      await sleep(20);
    }
    expect(state.tries).toBeLessThan(3 * 200 + 20);
    expect(outage.trouble).toBe('no');
    state.isMended = true;
    outage.limit(60_000);
    await Promise.all(waiting);
    expect(outage.trouble).toBeUndefined();
  });
});
