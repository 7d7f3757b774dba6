import { describe, expect, it } from '@jest/globals';
import { joinLimit, limitReached } from '../../../policy/pacing/concurrency-limit.ts';
import { lease } from '../../../policy/pacing/rate-lease.ts';
import { takeStep, type LimiterStep } from '../../../policy/pacing/limiter-step.ts';
import { recordAnswer, FRESH_RATE, recordRefusal, recordTrouble } from '../../../policy/pacing/rate.ts';

const NOW = 1_000_000;
/** A call that was sent just now. */
const at = { now: NOW, sentAt: NOW - 10 };
const paused = { ...FRESH_RATE, pausedUntil: NOW + 400, troubles: 1, troubledAt: NOW - 100 };

describe('a step of what all processes share', () => {
  it('lends a share of the pace', () => {
    const ask = { owner: 'p', batch: 'b', limit: 90, want: 10, used: 0, isShort: true, now: NOW };
    expect(takeStep(paused, { type: 'lease', ...ask })).toEqual(lease(paused, ask));
  });

  it('hears of a refusal, and says for how long nobody may call', () => {
    const refusal = { owner: 'p', counted: 5, stated: null, ...at, retryAfterMs: 2_000 };
    const { state, result } = takeStep(undefined, { type: 'refused', ...refusal });
    expect(state).toEqual(recordRefusal(undefined, refusal));
    expect(result).toEqual({ pauseMs: 2_000 });
  });

  it('hears of trouble, and says for how long nobody may call', () => {
    const { state, result } = takeStep(undefined, { type: 'troubled', ...at, retryAfterMs: 3_000 });
    expect(state).toEqual(recordTrouble(undefined, { ...at, retryAfterMs: 3_000 }));
    expect(result).toEqual({ pauseMs: 3_000 });
  });

  it('hears of a good answer, and of a pause that is over says that it lasts no longer', () => {
    const over = { ...paused, pausedUntil: NOW - 1 };
    const { state, result } = takeStep(over, { type: 'answered', ...at });
    expect(state).toEqual(recordAnswer(over, at));
    expect(state).toMatchObject({ troubles: 0 });
    expect(result).toEqual({ pauseMs: 0 });
  });

  it('counts the processes that make jobs, and learns how many jobs there may be', () => {
    const limited = takeStep(undefined, { type: 'limit-reached', owner: 'p', running: 3, now: NOW });
    expect(limited).toEqual(joinLimit(limitReached(undefined, 3, NOW), 'p', NOW));
    expect(limited.result).toEqual({ most: 3, members: 1 });
    const joined = takeStep(limited.state, { type: 'join', owner: 'q', now: NOW });
    expect(joined.result).toEqual({ most: 3, members: 2 });
  });

  it.each<[string, unknown, LimiterStep]>([
    ['job times, where none are added', { jobs: 1, earlyMs: 20, longestMs: 20 }, { type: 'learn', spans: [] }],
    ['how many jobs there may be, where no limit is known', undefined, { type: 'join', owner: 'p', now: NOW }],
  ])('leaves %s as it is, so that nothing need be written', (_, state, step) => {
    expect(takeStep(state, step).state).toBe(state);
  });
});
