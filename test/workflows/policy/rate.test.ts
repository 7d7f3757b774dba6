import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { answered, learnedRate, refused, reserve, troubled, type RateState } from '../../../workflows/policy/rate.ts';

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
    const { state: next, result } = reserve(held, limit, 1, now);
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
      const { state: next, result } = reserve(state, 10, 1, 5000);
      state = next;
      return result.startAt;
    });
    expect(starts).toEqual([5000, 5100, 5200]);
  });

  it('gives a block of slots that the next caller comes after', () => {
    const first = reserve(undefined, 10, 5, 0);
    expect(first.result).toEqual({ startAt: 0, gapMs: 100 });
    expect(reserve(first.state, 10, 1, 0).result.startAt).toBe(500);
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
            const slot = reserve(state, rate, 1, now);
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
    expect(reserve(state, null, 1, 1000).result.startAt).toBe(4000);
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
