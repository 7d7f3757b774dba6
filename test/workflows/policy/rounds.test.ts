import { describe, expect, it } from '@jest/globals';
import { roundPauseMs } from '../../../workflows/policy/rounds.ts';

describe('roundPauseMs', () => {
  it('goes on at once while rounds bring the batch on', () => {
    expect(roundPauseMs(1, 500, 3)).toBe(0);
    expect(roundPauseMs(9, 3, 2)).toBe(0);
    expect(roundPauseMs(9, 3, 0)).toBe(0);
  });

  it('gives rows that were opened again two rounds, and then ever longer pauses', () => {
    const pauses = [1, 2, 3, 4, 5, 30, 3_000].map((round) => roundPauseMs(round, 2, 2));
    expect(pauses).toEqual([0, 0, 1_000, 2_000, 4_000, 60_000, 60_000]);
    expect(roundPauseMs(3, 2, 3)).toBe(1_000);
  });
});
