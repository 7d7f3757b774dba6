import { describe, expect, it } from '@jest/globals';
import {
  answered,
  HORIZON_MS,
  isFree,
  learnedRate,
  refused,
  reserve,
  troubled,
  type RateState,
} from '../../../workflows/policy/rate.ts';

/** The limiter's figures, exactly: what it learns, for how long, and when it forgets. */

const HOUR = 3_600_000;
const NOW = 10 * HOUR;
const SKEW_MS = 5_000;
const by = (limit: number | null, batch = 'b', unasked = 0): Parameters<typeof reserve>[1] => ({
  batch,
  limit,
  unasked,
});
/** Refused at NOW at this rate, and nothing else known. */
const learned = (refusedRate: number | null, more: Partial<RateState> = {}): RateState => ({
  ...{ lastAt: 0, gapMs: 0, ofBatch: {}, pausedUntil: 0, refusedRate, refusedAt: NOW, troubles: 0 },
  ...{ windowAt: 0, windowCalls: 0 },
  ...more,
});

describe('the rate that was learned', () => {
  it.each([
    [-1_000, 8.5],
    [0, 8.5],
    [2_000, 9.25],
    [4_000, 10],
    [5_000, 10.3],
    [24_000, 16],
    [120_000, 44.8],
  ])('of 10 calls a second, %d ms after the refusal, is %d', (age, rate) => {
    expect(learnedRate(learned(10), NOW + age)).toBeCloseTo(rate, 9);
  });

  it('is forgotten after two minutes, and never below a call in 5 s', () => {
    expect(learnedRate(learned(10), NOW + 120_001)).toBeNull();
    expect(learnedRate(learned(0.1), NOW)).toBe(0.2);
    expect(learnedRate(learned(null), NOW)).toBeNull();
  });

  it('spaces the slots, unless the user wants less', () => {
    const state = learned(10, { lastAt: NOW, gapMs: 1_000 / 8.5 });
    expect(reserve(state, by(null), NOW).result.startAt).toBeCloseTo(NOW + 1_000 / 8.5, 6);
    expect(reserve({ ...state, gapMs: 500, ofBatch: { b: NOW } }, by(2), NOW).result.startAt).toBe(NOW + 500);
  });
});

describe('a refusal', () => {
  const busy = (windowCalls: number, windowAt = NOW - 1_000): RateState =>
    learned(null, { windowCalls, windowAt, refusedAt: 0 });

  it.each([
    ['over a second', 12, 1_000, 12],
    ['over half a second', 12, 500, 24],
    ['over at least a quarter of one', 12, 50, 48],
    ['over at most one', 12, 3_000, 12],
    ['never less than a call in 5 s', 0, 1_000, 0.2],
  ])('measures the calls of the window %s', (_, calls, since, rate) => {
    expect(refused(busy(calls, NOW - since), NOW, NOW - 1, undefined).state.refusedRate).toBe(rate);
  });

  it.each([
    ['the measured one, between half of the known one and all of it', 6, 6],
    ['the known one, where more was measured', 30, 10],
    ['half of the known one, where less was measured', 1, 5],
  ])('learns beside a known rate %s', (_, calls, rate) => {
    const known = learned(10, { refusedAt: NOW - 4_000, windowCalls: calls, windowAt: NOW - 1_000 });
    expect(refused(known, NOW, NOW - 1, undefined).state.refusedRate).toBe(rate);
  });

  it('brings news only of calls that were sent after the last one', () => {
    const state = learned(10, { windowCalls: 6, windowAt: NOW });
    expect(refused(state, NOW + 1_000, NOW, undefined).state).toMatchObject({ refusedRate: 10, refusedAt: NOW });
    expect(refused(state, NOW + 1_000, NOW + 1, undefined).state).toMatchObject({ refusedAt: NOW + 1_000 });
  });

  it.each([
    [undefined, 250],
    [100, 250],
    [3_000, 3_000],
    [700_000, 600_000],
  ])('with a wish of %j ms pauses for %d ms', (wish, pause) => {
    expect(refused(undefined, NOW, NOW - 1, wish).state.pausedUntil).toBe(NOW + pause);
    // Also where it brings no news; and it shortens no pause.
    expect(refused(learned(10), NOW, NOW - 1, wish).state.pausedUntil).toBe(NOW + pause);
    const longer = learned(10, { pausedUntil: NOW + 600_001 });
    expect(refused(longer, NOW, NOW - 1, wish).state.pausedUntil).toBe(NOW + 600_001);
  });

  it('ends trouble', () => {
    expect(refused(learned(null, { refusedAt: 0, troubles: 3 }), NOW, NOW - 1, undefined).state.troubles).toBe(0);
  });
});

describe('the window in which calls are counted', () => {
  it('lasts a second', () => {
    const state = learned(null, { windowAt: NOW, windowCalls: 5 });
    expect(reserve(state, by(null), NOW + 999).state).toMatchObject({ windowAt: NOW, windowCalls: 6 });
    expect(reserve(state, by(null, 'b', 3), NOW + 999).state.windowCalls).toBe(9);
    expect(reserve(state, by(null, 'b', 3), NOW + 1_000).state).toMatchObject({
      windowAt: NOW + 1_000,
      windowCalls: 4,
    });
  });

  it('is not one of the future', () => {
    expect(reserve(learned(null, { windowAt: NOW + 60_000 }), by(null), NOW).state.windowAt).toBe(NOW);
  });
});

describe('a call without any limit', () => {
  it('leaves the slots of the others as they are', () => {
    const state = learned(null, { lastAt: NOW - 50, gapMs: 100, ofBatch: { slow: NOW - 50 } });
    expect(reserve(state, by(null), NOW).state).toMatchObject({
      lastAt: NOW - 50,
      gapMs: 100,
      ofBatch: { slow: NOW - 50 },
    });
  });
});

describe('what the state remembers', () => {
  const after = (more: Partial<RateState>): RateState => reserve(learned(null, more), by(null), NOW).state;

  it('of a batch: an hour', () => {
    const ofBatch = { at: NOW - HOUR, before: NOW - HOUR - 1, after: NOW - HOUR + 1 };
    expect(Object.keys(after({ ofBatch }).ofBatch)).toEqual(['after']);
  });

  it('of slots: none further ahead than slots are given, and clocks may differ', () => {
    const far = NOW + HORIZON_MS + SKEW_MS;
    expect(Object.keys(after({ ofBatch: { far, further: far + 1 } }).ofBatch)).toEqual(['far']);
    const pausedUntil = NOW - 1;
    expect(refused(learned(null, { lastAt: far, pausedUntil }), NOW, NOW - 1, 0).state.lastAt).toBe(far);
    expect(refused(learned(null, { lastAt: far + 1, pausedUntil }), NOW, NOW - 1, 0).state.lastAt).toBe(NOW);
  });

  it('of pauses: none longer than any', () => {
    const longest = NOW + 600_000 + SKEW_MS;
    const start = (pausedUntil: number): number =>
      reserve(learned(null, { pausedUntil }), by(null), NOW).result.startAt;
    expect(start(longest)).toBe(longest);
    expect(start(longest + 1)).toBe(NOW);
  });

  it('of a refusal: none of the future', () => {
    const { state } = refused(learned(10, { refusedAt: NOW + 60_000 }), NOW, NOW - 1, 0);
    expect(state.refusedAt).toBe(NOW);
  });
});

describe('a call that may go without asking', () => {
  it('may do so from the end of a pause on', () => {
    expect(isFree(learned(null, { pausedUntil: NOW }), NOW)).toBe(true);
    expect(isFree(learned(null, { pausedUntil: NOW + 1 }), NOW)).toBe(false);
    expect(isFree(learned(10), NOW)).toBe(false);
    expect(isFree(learned(10), NOW + 120_001)).toBe(true);
  });
});

describe('trouble', () => {
  it('pauses for what the API asks for, at most ten minutes', () => {
    const pause = (wish?: number): number => troubled(undefined, NOW, wish).state.pausedUntil - NOW;
    expect([pause(), pause(100), pause(4_000), pause(700_000)]).toEqual([250, 250, 4_000, 600_000]);
  });

  it('counts anew from the end of a pause on, to twenty', () => {
    const state = learned(null, { pausedUntil: NOW, troubles: 20 });
    expect(troubled(state, NOW).state).toMatchObject({ pausedUntil: NOW + 30_000, troubles: 20 });
    expect(troubled({ ...state, pausedUntil: NOW + 1 }, NOW).state).toMatchObject({ pausedUntil: NOW + 1 });
  });

  it('is over with an answer, which changes nothing else', () => {
    expect(answered(learned(10, { troubles: 4, windowCalls: 7 })).state).toEqual(learned(10, { windowCalls: 7 }));
    expect(answered(undefined)).toEqual({ state: learned(null, { refusedAt: 0 }), result: undefined });
  });
});
