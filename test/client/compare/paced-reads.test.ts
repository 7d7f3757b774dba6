import { describe, expect, it } from '@jest/globals';
import { createPacer } from '../../../client/compare/paced-reads.ts';

/** Begins reads at a rate by a clock that moves only while somebody waits; returns when each began, ms. */
async function begin(rate: number | null, takesMs: readonly number[]): Promise<readonly number[]> {
  let now = 1_000;
  const wait = (ms: number): Promise<void> => {
    now += ms;
    return Promise.resolve();
  };
  const pace = createPacer(rate, { now: () => now, wait });
  const begun: number[] = [];
  for (const ms of takesMs) {
    await pace(async () => {
      begun.push(now - 1_000);
      await wait(ms);
    });
  }
  return begun;
}

describe('reads at a rate', () => {
  it('begin no closer together than it allows, and as soon as it allows after a slow one', async () => {
    expect(await begin(5, [0, 0, 500, 0, 0])).toEqual([0, 200, 400, 900, 1_100]);
  });

  it('begin at once without one', async () => {
    expect(await begin(null, [0, 10, 0])).toEqual([0, 0, 10]);
  });

  it('wait for each other, whoever asks', async () => {
    const waits: number[] = [];
    const wait = (ms: number): Promise<void> => {
      waits.push(ms);
      return Promise.resolve();
    };
    const pace = createPacer(10, { now: () => 0, wait });
    await Promise.all([1, 2, 3].map((one) => pace(() => Promise.resolve(one))));
    expect(waits).toEqual([100, 200]);
  });
});
