import { describe, expect, it } from '@jest/globals';
import { crowded, joinCrowd, limitAt } from '../../policy/crowd.ts';

describe('the limit of jobs at once', () => {
  it('is not there before the API speaks of it', () => {
    expect(limitAt(undefined, 0)).toBeNull();
    expect(joinCrowd(undefined, 'p', 0)).toEqual({ state: undefined, result: { most: null, members: 1 } });
  });

  it('is the number of jobs that ran when it refused, and never less than one', () => {
    expect(limitAt(crowded(undefined, 5, 1_000), 1_000)).toBe(5);
    expect(limitAt(crowded(undefined, 0, 1_000), 1_000)).toBe(1);
  });

  it('takes refusals of one moment as one, and a later one as news', () => {
    const first = crowded(undefined, 5, 1_000);
    expect(limitAt(crowded(first, 8, 1_999), 1_999)).toBe(8);
    expect(limitAt(crowded(first, 3, 1_999), 1_999)).toBe(5);
    expect(limitAt(crowded(first, 3, 2_000), 2_000)).toBe(3);
  });

  it('grows by one now and then, more rarely as long as that fails', () => {
    const state = crowded(undefined, 5, 0);
    expect([4_999, 5_000, 10_000].map((now) => limitAt(state, now))).toEqual([5, 6, 7]);
    const failed = crowded(state, 5, 6_000);
    expect([6_000, 15_999, 16_000].map((now) => limitAt(failed, now))).toEqual([5, 5, 6]);
    // Room for more than was thought: then it grows quickly again.
    expect(crowded(failed, 9, 20_000)).toMatchObject({ most: 9, growEveryMs: 5_000 });
  });

  it('is forgotten after five minutes, and by a clock that was set back', () => {
    const state = crowded(undefined, 5, 1_000);
    expect(limitAt(state, 301_000)).not.toBeNull();
    expect(limitAt(state, 301_001)).toBeNull();
    expect(limitAt(state, 999)).toBeNull();
  });

  it('is shared by the processes that asked within a second', () => {
    const one = joinCrowd(crowded(undefined, 5, 1_000), 'p', 1_000);
    const two = joinCrowd(one.state, 'q', 1_500);
    expect([one.result.members, two.result.members]).toEqual([1, 2]);
    expect(joinCrowd(two.state, 'q', 2_100).result).toEqual({ most: 5, members: 1 });
  });
});
