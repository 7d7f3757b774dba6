import { describe, expect, it } from '@jest/globals';
import { whyTooLate } from '../../../policy/schedules/late-firing.ts';

const HOUR_MS = 3_600_000;

describe('a firing that waited for a worker', () => {
  it.each([
    [0, HOUR_MS],
    [HOUR_MS, HOUR_MS],
    [600_000, 10_000],
    [1_000 * HOUR_MS, null],
  ])('for %d ms with a catch-up time of %s is in time', (waited, catchUp) => {
    expect(whyTooLate(waited, catchUp)).toBeUndefined();
  });

  it.each([
    [HOUR_MS + 1, HOUR_MS, '1h'],
    [600_001, 10_000, '10s'],
  ])('for %d ms with a catch-up time of %d is too late', (waited, catchUp, words) => {
    expect(whyTooLate(waited, catchUp)).toBe(`It fired, and no worker took it within its catch-up time of ${words}.`);
  });
});
