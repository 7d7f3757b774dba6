import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
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

const by = (limit: number | null, batch = 'b', unasked = 0): Parameters<typeof reserve>[1] => ({
  batch,
  limit,
  unasked,
});

/** Gives out one slot after another, each taken when it comes. */
function take(
  state: RateState | undefined,
  limit: number | null,
  calls: number,
  from: number,
): { state: RateState; times: number[] } {
  let now = from;
  const times: number[] = [];
  let held = state;
  for (let call = 0; call < calls; call++) {
    const { state: next, result } = reserve(held, by(limit), now);
    held = next;
    now = result.startAt;
    times.push(now);
  }
  if (held === undefined) throw new Error('expected at least one call');
  return { state: held, times };
}

describe('reserve', () => {
  it('gives slots at once without a limit', () => {
    expect(take(undefined, null, 3, 1000).times).toEqual([1000, 1000, 1000]);
  });

  it("spaces slots by the user's rate, also for callers that come at one time", () => {
    let state: RateState | undefined;
    const starts = [0, 0, 0].map(() => {
      const { state: next, result } = reserve(state, by(10), 5000);
      state = next;
      return result.startAt;
    });
    expect(starts).toEqual([5000, 5100, 5200]);
  });

  it('gives none that is more than a second away, and changes nothing then', () => {
    const { state } = reserve(undefined, by(0.5), 5000);
    const far = reserve(state, by(0.5), 5500);
    expect(far).toEqual({ state, result: { isGiven: false, startAt: 7000 } });
    expect(reserve(state, by(0.5), 7000 - HORIZON_MS).result).toEqual({ isGiven: true, startAt: 7000 });
  });

  it('follows a rate that the user raised at once, and one that was lowered', () => {
    const slow = reserve(undefined, by(0.01), 5000).state;
    expect(reserve(slow, by(0.01), 5100).result.startAt).toBe(105_000);
    expect(reserve(slow, by(10), 5050).result).toEqual({ isGiven: true, startAt: 5100 });
    const quick = reserve(undefined, by(10), 5000).state;
    expect(reserve(quick, by(1), 5050).result.startAt).toBe(6000);
  });

  it('lets batches of one account share the slots, each at its own rate', () => {
    const slow = reserve(undefined, by(0.1, 'slow'), 5000).state;
    const quick = reserve(slow, by(10, 'quick'), 5000);
    expect(quick.result.startAt).toBe(5100);
    expect(reserve(quick.state, by(10, 'third'), 5100).result.startAt).toBe(5200);
    expect(reserve(quick.state, by(0.1, 'slow'), 5200).result.startAt).toBe(15_000);
    expect(reserve(quick.state, by(null, 'free'), 5000).result.startAt).toBe(5100);
  });

  it('forgets times that only a clock can have written that was set back since', () => {
    const hour = 3_600_000;
    const ahead = refused(reserve(undefined, by(1), hour).state, hour + 10, hour, 600_000).state;
    const back = reserve(ahead, by(1), 1000);
    expect(back.result).toEqual({ isGiven: true, startAt: 2000 });
    expect(learnedRate(back.state, 1000)).toBe(learnedRate(ahead, hour + 10));
    expect(reserve(back.state, by(1), 2000).result.startAt).toBeGreaterThanOrEqual(3000);
    // The pause that is really asked for is kept.
    expect(reserve(ahead, by(1), hour + 20).result.startAt).toBe(hour + 600_010);
  });

  it('measures the rate by the calls that went unasked, too', () => {
    const { state } = reserve(undefined, by(null, 'b', 9), 1000);
    expect(refused(state, 1500, 1400, undefined).state.refusedRate).toBe(20);
  });

  it('reads a state that an older version wrote', () => {
    const now = reserve(undefined, by(5), 1000).state;
    const old = { ...now, nextAt: 1200, lastAt: undefined, gapMs: undefined, ofBatch: undefined };
    const read = JSON.parse(JSON.stringify(old)) as RateState;
    expect(reserve(read, by(5), 1100).result.startAt).toBe(1100);
  });

  it('never gives out more than the rate over any stretch of time', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 200 }),
        fc.array(fc.nat(50), { minLength: 2, maxLength: 60 }),
        (rate, pauses) => {
          let state: RateState | undefined;
          let now = 0;
          const starts = pauses.map((pause) => {
            now += pause;
            let slot = reserve(state, by(rate), now);
            while (!slot.result.isGiven) slot = reserve(slot.state, by(rate), (now += 300));
            state = slot.state;
            return slot.result.startAt;
          });
          for (const [index, start] of starts.entries()) {
            if (index > 0) expect(start - (starts[index - 1] ?? 0)).toBeGreaterThanOrEqual(1000 / rate - 1e-6);
          }
        },
      ),
    );
  });
});

describe('refused', () => {
  it('pauses everybody at least as long as the API asks', () => {
    const { state } = refused(undefined, 1000, 990, 3000);
    expect(reserve(state, by(null), 1000).result).toEqual({ isGiven: false, startAt: 4000 });
  });

  it('learns a rate below the one that was refused and climbs back to it', () => {
    const busy = take(undefined, 50, 50, 0).state;
    const { state } = refused(busy, 1000, 990, undefined);
    const at = (ms: number): number => learnedRate(state, 1000 + ms) ?? NaN;
    expect(at(0)).toBeGreaterThan(30);
    expect(at(0)).toBeLessThan(50);
    expect(at(4_000)).toBeGreaterThan(at(0));
    expect(at(20_000)).toBeGreaterThan(at(4_000));
    expect(learnedRate(state, 1000 + 200_000)).toBeNull();
  });

  it('slows down once for calls that were on the wire together', () => {
    const busy = take(undefined, 50, 50, 0).state;
    const once = refused(busy, 1000, 990, undefined).state;
    const twice = refused(once, 1010, 992, undefined).state;
    expect(learnedRate(twice, 1010)).toBe(learnedRate(once, 1010));
  });

  it('never falls to nothing and never rises by a refusal', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 5000 }), { minLength: 1, maxLength: 50 }), (gaps) => {
        let state = take(undefined, 50, 50, 0).state;
        let now = 1000;
        for (const gap of gaps) {
          now += gap;
          const before = learnedRate(state, now) ?? Infinity;
          ({ state } = refused(state, now, now - 1, undefined));
          const after = learnedRate(state, now) ?? Infinity;
          expect(after).toBeLessThanOrEqual(before);
          expect(after).toBeGreaterThan(0);
        }
      }),
    );
  });
});

describe('isFree', () => {
  it('is true only where nothing is known that could make a call wait', () => {
    const { state } = reserve(undefined, by(null), 1000);
    expect(isFree(state, 1000)).toBe(true);
    expect(isFree({ ...state, pausedUntil: 1001 }, 1000)).toBe(false);
    expect(isFree({ ...state, troubles: 1 }, 1000)).toBe(false);
    expect(isFree(refused(state, 1000, 999, undefined).state, 2000)).toBe(false);
  });
});

describe('troubled', () => {
  it('doubles the pause each time, up to 30 s, and an answer ends it', () => {
    let state: RateState | undefined;
    let now = 0;
    const pauses: number[] = [];
    for (let round = 0; round < 9; round++) {
      ({ state } = troubled(state, now));
      pauses.push(state.pausedUntil - now);
      now = state.pausedUntil;
    }
    expect(pauses).toEqual([250, 500, 1000, 2000, 4000, 8000, 16000, 30000, 30000]);
    expect(troubled(answered(state).state, now).state.pausedUntil - now).toBe(250);
  });

  it('counts calls that failed together once', () => {
    const { state } = troubled(undefined, 1000);
    expect(troubled(state, 1001).state).toEqual(state);
  });
});
