import { describe, expect, it } from '@jest/globals';
import { crowded, hasRoom } from '../../../workflows/policy/crowd.ts';

describe('the limit of jobs at once', () => {
  it('is not there before the API speaks of it', () => {
    expect(hasRoom(undefined, 10_000, 0)).toBe(true);
  });

  it('is the number of jobs that ran when it refused', () => {
    const state = crowded(undefined, 5, 1_000);
    expect(hasRoom(state, 5, 1_000)).toBe(false);
    expect(hasRoom(state, 6, 1_000)).toBe(false);
    expect(hasRoom(state, 4, 1_000)).toBe(true);
  });

  it('lets one through where none of ours runs: the others have to end', () => {
    expect(crowded(undefined, 0, 0)).toEqual({ most: 1, at: 0 });
    expect(hasRoom(crowded(undefined, 0, 0), 0, 0)).toBe(true);
  });

  it('takes refusals of one moment as one, and a later one as news', () => {
    const first = crowded(undefined, 5, 1_000);
    expect(crowded(first, 8, 1_999)).toEqual({ most: 8, at: 1_999 });
    expect(crowded(first, 3, 1_999)).toEqual({ most: 5, at: 1_999 });
    expect(crowded(first, 3, 2_000)).toEqual({ most: 3, at: 2_000 });
  });

  it('grows by one every five seconds, and is forgotten after five minutes', () => {
    const state = crowded(undefined, 5, 0);
    expect(hasRoom(state, 5, 4_999)).toBe(false);
    expect(hasRoom(state, 5, 5_000)).toBe(true);
    expect(hasRoom(state, 6, 5_000)).toBe(false);
    expect(hasRoom(state, 1_000, 300_000)).toBe(false);
    expect(hasRoom(state, 1_000, 300_001)).toBe(true);
  });

  it('is forgotten by a clock that was set back', () => {
    expect(hasRoom(crowded(undefined, 5, 1_000), 1_000, 999)).toBe(true);
  });
});
