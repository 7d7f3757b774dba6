import { describe, expect, it } from '@jest/globals';
import {
  recordAnswer,
  failingOf,
  limitedOf,
  sanitizeState,
  recordRefusal,
  recordTrouble,
  type RateState,
} from '../../../policy/pacing/rate.ts';

const NOW = 36_000_000;
const news = { owner: 'p', counted: 10, stated: null, sentAt: NOW - 1, now: NOW };

describe('a refusal', () => {
  it.each([
    [undefined, 250],
    [100, 250],
    [3_000, 3_000],
    [700_000, 600_000],
  ])('with a wish of %j ms pauses for %d ms', (wish, pause) => {
    const asked = wish === undefined ? news : { ...news, retryAfterMs: wish };
    expect(recordRefusal(undefined, asked).pausedUntil).toBe(NOW + pause);
    // It shortens no pause.
    expect(recordRefusal({ pausedUntil: NOW + 600_001 }, asked).pausedUntil).toBe(NOW + 600_001);
  });

  it('ends trouble, and counts what other processes send under their leases', () => {
    const lease = { owner: 'q', batch: 'b', share: 20, limit: null, want: 1, used: 7, until: NOW + 100 };
    const state = recordRefusal({ troubles: 3, leases: { 'q b': lease } }, news);
    expect(state).toMatchObject({ troubles: 0, limit: { counted: 30, counts: { p: 10, q: 20 } } });
  });
});

describe('a refusal of one of several batches', () => {
  const lease = { owner: 'p', batch: 'quick', share: 4, limit: 5, want: 4, used: 4, until: NOW + 100 };
  const slow = { ...news, counted: 1, stated: 1 };

  it('is no proof that the limit is the rate of the slowest', () => {
    const state = recordRefusal({ leases: { 'p quick': lease } }, slow);
    expect(state.limit).toMatchObject({ phase: 'climb', rate: 4.5 });
  });

  it('says nothing of a rate where another batch has none', () => {
    const state = recordRefusal({ leases: { 'p quick': { ...lease, limit: null } } }, slow);
    expect(state.limit).toMatchObject({ phase: 'climb', rate: 1, counted: 1 });
  });
});

describe('trouble', () => {
  it('doubles the pause each time, up to 30 s, and an answer to a later call ends it', () => {
    let state: RateState | undefined;
    let now = NOW;
    const pauses: number[] = [];
    for (let round = 0; round < 9; round++) {
      state = recordTrouble(state, { now, sentAt: now });
      pauses.push(state.pausedUntil - now);
      now = state.pausedUntil;
    }
    expect(pauses).toEqual([250, 500, 1000, 2000, 4000, 8000, 16000, 30000, 30000]);
    const { troubledAt } = sanitizeState(state, now);
    expect(recordAnswer(state, { now, sentAt: troubledAt }).troubles).toBe(9);
    const after = recordAnswer(state, { now, sentAt: troubledAt + 1 });
    expect(after.troubles).toBe(0);
    expect(recordTrouble(after, { now, sentAt: now }).pausedUntil - now).toBe(250);
  });

  it('counts calls that failed together once, also when one of them fails late', () => {
    const state = recordTrouble(undefined, { now: NOW, sentAt: NOW - 5 });
    expect(recordTrouble(state, { now: NOW + 1, sentAt: NOW - 4 })).toEqual(state);
    expect(recordTrouble(state, { now: NOW + 10_000, sentAt: NOW - 4 })).toEqual(state);
  });

  it('pauses for what the API asks for, at most ten minutes, also when it is said later', () => {
    const pause = (wish: number): number =>
      recordTrouble(undefined, { now: NOW, sentAt: NOW - 1, retryAfterMs: wish }).pausedUntil - NOW;
    expect([pause(100), pause(4_000), pause(700_000)]).toEqual([250, 4_000, 600_000]);
    const state = recordTrouble(undefined, { now: NOW, sentAt: NOW - 5 });
    expect(recordTrouble(state, { now: NOW, sentAt: NOW - 5, retryAfterMs: 9_000 }).pausedUntil).toBe(NOW + 9_000);
  });
});

describe('what a state means to whoever looks', () => {
  it('is that calls fail since the first was sent that nothing has ended', () => {
    const first = recordTrouble(undefined, { now: NOW, sentAt: NOW - 5 });
    const next = recordTrouble(first, { now: NOW + 60_000, sentAt: NOW + 59_000 });
    expect(failingOf(next, NOW - 10)).toEqual({ since: NOW - 5, lastAt: NOW + 60_000, pausedUntil: NOW + 60_500 });
    // All of it was before the batch began.
    expect(failingOf(next, NOW + 60_001)).toBeUndefined();
    const over = recordAnswer(next, { now: NOW + 61_000, sentAt: NOW + 60_500 });
    expect(failingOf(over, NOW - 10)).toBeUndefined();
    const again = recordTrouble(over, { now: NOW + 90_000, sentAt: NOW + 89_000 });
    expect(failingOf(again, NOW - 10)?.since).toBe(NOW + 89_000);
  });

  it('is the rate kept since a refusal, and none before the first or about earlier work', () => {
    const state = recordRefusal(undefined, { ...news, counted: 48 });
    expect(limitedOf(state, NOW - 10)).toEqual({ rate: state.limit?.rate, refusedAt: NOW });
    expect(limitedOf(state, NOW + 1)).toBeNull();
    expect([limitedOf({}, 0), failingOf({}, 0)]).toEqual([null, undefined]);
  });
});

it('a state that a clock wrote which has since been set back keeps nothing that cannot be', () => {
  const ahead = recordRefusal(undefined, { ...news, retryAfterMs: 600_000 });
  const lease = { owner: 'q', batch: 'b', share: 20, limit: null, want: 1, used: 7, until: NOW + 100 };
  const state = sanitizeState({ ...ahead, troubledAt: NOW, leases: { 'q b': lease } }, NOW - 3_600_000);
  expect(state).toMatchObject({ pausedUntil: NOW - 3_600_000, troubledAt: NOW - 3_600_000, limit: null, leases: {} });
  expect(sanitizeState(ahead, NOW + 1).pausedUntil).toBe(NOW + 600_000);
});
