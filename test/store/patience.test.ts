import { describe, expect, it } from '@jest/globals';
import { Passing, Patience } from '../../store/patience.ts';

const NEVER = new AbortController().signal;

/** A place that is away until it is said to be back. */
class Place {
  readonly patience = new Patience();
  isAway = true;
  asked = 0;

  ask(): Promise<string> {
    return this.patience.repeat(() => {
      this.asked++;
      if (this.isAway) throw new Passing('no answer', new Error('it never answered'));
      return Promise.resolve('answer');
    });
  }

  async untilTrouble(): Promise<void> {
    while (this.patience.trouble === undefined) await new Promise(setImmediate);
  }
}

describe('a place that does not answer', () => {
  it('is asked until it does, and whoever waits for that hears of it', async () => {
    const place = new Place();
    const asking = place.ask();
    await place.untilTrouble();
    expect(place.patience.trouble).toBe('no answer');
    const heard = place.patience.whenAnswered(NEVER);
    place.isAway = false;
    expect(await asking).toBe('answer');
    await heard;
    expect(place.patience.trouble).toBeUndefined();
  });

  it('is not waited for any more once the last that asked has given up: nobody would notice that it is back', async () => {
    const place = new Place();
    place.patience.limit(300);
    const givenUp = expect(place.ask()).rejects.toThrow('it never answered');
    await place.untilTrouble();
    const heard = place.patience.whenAnswered(NEVER);
    await givenUp;
    await heard;
    expect(place.patience.trouble).toBeUndefined();
  });

  it('is waited for as long as another still asks', async () => {
    const place = new Place();
    let isRefused = false;
    const refused = place.patience.repeat<string>(() => {
      throw isRefused ? new Error('it may not') : new Passing('no answer', new Error('it never answered'));
    });
    await place.untilTrouble();
    const asking = place.ask();
    while (place.asked < 2) await new Promise(setImmediate);
    let heard = false;
    const hearing = place.patience.whenAnswered(NEVER).then(() => (heard = true));
    isRefused = true;
    await expect(refused).rejects.toThrow('it may not');
    expect([heard, place.patience.trouble]).toEqual([false, 'no answer']);
    place.isAway = false;
    await Promise.all([asking, hearing]);
  });

  it('is not waited for by who has to end', async () => {
    const place = new Place();
    const asking = place.ask();
    await place.untilTrouble();
    const ending = new AbortController();
    const heard = place.patience.whenAnswered(ending.signal);
    ending.abort();
    await heard;
    place.isAway = false;
    await asking;
  });
});
