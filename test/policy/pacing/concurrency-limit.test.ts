import { describe, expect, it } from '@jest/globals';
import { limitReached, joinLimit, limitAt } from '../../../policy/pacing/concurrency-limit.ts';

describe('the limit of jobs at once', () => {
  it('is not there before the API speaks of it', () => {
    expect(limitAt(undefined, 0)).toBeNull();
    expect(joinLimit(undefined, 'p', 0)).toEqual({ state: undefined, result: { most: null, members: 1 } });
  });

  it('takes refusals of one moment as one, and a later one as news', () => {
    const first = limitReached(undefined, 5, 1_000);
    expect(limitAt(limitReached(first, 8, 1_999), 1_999)).toBe(8);
    expect(limitAt(limitReached(first, 3, 1_999), 1_999)).toBe(5);
    expect(limitAt(limitReached(first, 3, 2_000), 2_000)).toBe(3);
  });

  it('grows by one now and then, more rarely as long as that fails', () => {
    const state = limitReached(undefined, 5, 0);
    expect([4_999, 5_000, 10_000].map((now) => limitAt(state, now))).toEqual([5, 6, 7]);
    const failed = limitReached(state, 5, 6_000);
    expect([6_000, 15_999, 16_000].map((now) => limitAt(failed, now))).toEqual([5, 5, 6]);
    // Room for more than was thought: then it grows quickly again.
    expect(limitReached(failed, 9, 20_000)).toMatchObject({ most: 9, growEveryMs: 5_000 });
  });

  it('is forgotten after five minutes, and by a clock that was set back', () => {
    const state = limitReached(undefined, 5, 1_000);
    expect(limitAt(state, 301_000)).not.toBeNull();
    expect(limitAt(state, 301_001)).toBeNull();
    expect(limitAt(state, 999)).toBeNull();
  });

  it('is shared by the processes that asked within a second', () => {
    const one = joinLimit(limitReached(undefined, 5, 1_000), 'p', 1_000);
    const two = joinLimit(one.state, 'q', 1_500);
    expect([one.result.members, two.result.members]).toEqual([1, 2]);
    expect(joinLimit(two.state, 'q', 2_100).result).toEqual({ most: 5, members: 1 });
  });
});
