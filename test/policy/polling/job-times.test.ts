import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { jobsIn, learnTimes, NO_JOB_TIMES, quantilesOf, type Span } from '../../../policy/polling/job-times.ts';

describe('job times', () => {
  it('are known as well as a bin is wide', () => {
    const times = learnTimes(
      NO_JOB_TIMES,
      Array.from({ length: 1_000 }, (_, index): Span => [10_000 + 10 * index, 10_000 + 10 * index]),
    );
    const [first, half, last] = quantilesOf(times, [0.1, 0.5, 0.9]);
    expect((first ?? 0) / 11_000).toBeCloseTo(1, 1);
    expect((half ?? 0) / 15_000).toBeCloseTo(1, 1);
    expect((last ?? 0) / 19_000).toBeCloseTo(1, 1);
  });

  it('of a long span are taken to be where other jobs are', () => {
    const known = learnTimes(
      NO_JOB_TIMES,
      Array.from({ length: 100 }, (): Span => [60_000, 60_000]),
    );
    const times = learnTimes(
      known,
      Array.from({ length: 100 }, (): Span => [0, 120_000]),
    );
    const [low, high] = quantilesOf(times, [0.05, 0.95]);
    expect(low).toBeGreaterThan(55_000);
    expect(high).toBeLessThan(66_000);
  });

  it('fade, and take no more room for more jobs', () => {
    let times = NO_JOB_TIMES;
    for (let round = 0; round < 10; round++) {
      times = learnTimes(
        times,
        Array.from({ length: 1_000 }, (): Span => [60_000, 60_000]),
      );
    }
    for (let round = 0; round < 10; round++) {
      times = learnTimes(
        times,
        Array.from({ length: 1_000 }, (): Span => [5_000, 5_000]),
      );
    }
    expect(jobsIn(times)).toBeLessThan(4_001);
    expect(quantilesOf(times, [0.5])[0]).toBeLessThan(5_500);
  });

  it('survive JSON and any span, and lose no job', () => {
    const spans = fc.array(
      fc.tuple(fc.double({ min: -10, max: 1e8, noNaN: true }), fc.double({ min: -10, max: 1e8, noNaN: true })),
      {
        minLength: 1,
        maxLength: 50,
      },
    );
    fc.assert(
      fc.property(spans, (all) => {
        const times = learnTimes(
          NO_JOB_TIMES,
          all.map(([a, b]): Span => [Math.min(a, b), Math.max(a, b)]),
        );
        expect(jobsIn(times)).toBeCloseTo(all.length, 1);
        expect(JSON.parse(JSON.stringify(times))).toEqual(times);
        const quantiles = quantilesOf(times, [0, 0.25, 0.5, 0.75, 1]);
        expect([...quantiles].sort((a, b) => a - b)).toEqual(quantiles);
      }),
    );
  });
});
