import { describe, expect, it } from '@jest/globals';
import { askPauseMs, roundPauseMs } from '../../../policy/lanes/share.ts';

describe('roundPauseMs', () => {
  it('goes on at once after a round that brought the batch on, and after the first that did not', () => {
    expect([0, 1].map(roundPauseMs)).toEqual([0, 0]);
  });

  it('makes ever longer pauses after more of them, up to a minute', () => {
    expect([2, 3, 4, 7, 8, 3_000].map(roundPauseMs)).toEqual([1_000, 2_000, 4_000, 32_000, 60_000, 60_000]);
  });
});

describe('askPauseMs', () => {
  it('grows from a quarter of a minute to ten minutes', () => {
    expect([0, 1, 2, 5, 6, 5_000].map(askPauseMs)).toEqual([15_000, 30_000, 60_000, 480_000, 600_000, 600_000]);
  });
});
