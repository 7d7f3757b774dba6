import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { climb, learn, learnedRate, type LearnedLimit, type Refusal } from '../../../policy/pacing/learned-limit.ts';

const NOW = 1_000_000;
const ALONE = { others: {}, pausedUntil: 0 };
const refusal = (counted: number, more: Partial<Refusal> = {}): Refusal => ({
  ...{ owner: 'p', counted, stated: null, sentAt: (more.now ?? NOW) - 1, now: NOW },
  ...more,
});
const first = (counted: number, stated: number | null = null): LearnedLimit =>
  learn(null, refusal(counted, { stated }), ALONE);

/** Time that passes, asked for every quarter of a second. */
function wait(
  limit: LearnedLimit | null,
  ms: number,
  stated: number | null = null,
  isShort = true,
): LearnedLimit | null {
  let now = Math.max(limit?.climbedAt ?? NOW, limit?.refusedAt ?? NOW);
  let known = limit;
  for (const end = now + ms; now < end && known !== null;) {
    now += 250;
    known = climb(known, isShort, stated, now);
  }
  return known;
}

describe('the first refusal', () => {
  it('takes a stated rate down by a tenth at most, and back to it within a second', () => {
    expect(first(4, 100)).toMatchObject({ rate: 90, phase: 'climb' });
    expect(learnedRate(wait(first(4, 100), 1_000, 100))).toBeNull();
  });

  it('of a stated rate that was used to the full takes a little of it, for a minute', () => {
    expect(first(98, 100)).toMatchObject({ rate: 99, phase: 'hold', holdMs: 60_000 });
    expect(learnedRate(wait(first(98, 100), 61_000, 100))).toBeNull();
    expect(first(90, 100)).toMatchObject({ rate: 99, phase: 'hold' });
    // It is believed as much where a guess has been disproved before.
    const open = { ...first(50), phase: 'open' } as const;
    expect(learn(open, refusal(98, { stated: 100, now: NOW + 500 }), ALONE)).toMatchObject({ rate: 99, phase: 'hold' });
  });

  it('of a moment before the pause adds nothing, and one of the moment after it does', () => {
    const one = first(50);
    const late = refusal(60, { sentAt: NOW + 250, now: NOW + 300 });
    expect(learn(one, late, { others: {}, pausedUntil: NOW + 250 })).not.toBe(one);
    expect(learn(one, late, { others: {}, pausedUntil: NOW + 251 })).toBe(one);
    expect(learn(null, late, { others: {}, pausedUntil: NOW + 251 })).toMatchObject({ rate: 60 });
  });

  it('adds up what processes sent, each once', () => {
    const one = first(50);
    const news = { others: {}, pausedUntil: NOW + 250 };
    const both = learn(one, refusal(48, { owner: 'q', sentAt: NOW + 100, now: NOW + 120 }), news);
    expect(both).toMatchObject({ counted: 98, rate: 98 });
    expect(learn(both, refusal(48, { owner: 'q', sentAt: NOW + 110, now: NOW + 130 }), news)).toBe(both);
    expect(learn(null, refusal(30), { others: { q: 60 }, pausedUntil: 0 })).toMatchObject({ counted: 90 });
  });
});

describe('a second refusal', () => {
  // What was accepted is never more than the limit, so the higher figure counts.
  it.each([
    ['confirms it, and it is held for a minute', wait(first(100), 750), refusal(95, { now: NOW + 2_000 }), 100],
    ['takes a stated rate down', wait(first(50, 100), 1_000, 100), refusal(50, { stated: 100, now: NOW + 2_500 }), 50],
    ['is believed, for so many were accepted', { ...first(100), rate: 40 }, refusal(100, { now: NOW + 2_000 }), 100],
  ])('at the same figure %s', (_, before, again, rate) => {
    const limit = learn(before, again, ALONE);
    expect(limit).toMatchObject({ rate, phase: 'hold', holdMs: 60_000 });
    expect(learnedRate(wait(limit, 59_000))).toBe(rate);
  });

  it.each([
    ['ten seconds later at a figure a tenth higher', 110, 10_000, 'hold', 110],
    ['ten seconds later at a figure a tenth lower', 90, 10_000, 'hold', 100],
    ['at a figure further off', 111, 10_000, 'climb', 111],
    ['later than that', 100, 10_001, 'climb', 100],
  ] as const)('%s: %d after %d ms', (_, counted, after, phase, rate) => {
    const open = { ...first(100), phase: 'open' } as const;
    expect(learn(open, refusal(counted, { now: NOW + after }), ALONE)).toMatchObject({ phase, rate });
  });
});

describe('a limit that is held', () => {
  const held = learn(wait(first(100), 750), refusal(100, { now: NOW + 2_000 }), ALONE);
  const later = NOW + 20_000;

  it('goes down a little at a refusal by chance, and more at one soon after', () => {
    const chance = learn(held, refusal(99, { now: later }), ALONE);
    expect(learnedRate(chance)).toBe(99);
    expect(learnedRate(learn(chance, refusal(99, { now: later + 5_000 }), ALONE))).toBeCloseTo(97.02, 6);
  });

  it('hears nothing new right after it was learned, for what was accepted before still fills the second', () => {
    expect(learn(held, refusal(30, { now: held.refusedAt + 1_199 }), ALONE)).toBe(held);
    expect(learn(held, refusal(30, { now: held.refusedAt + 1_200 }), ALONE)).toMatchObject({ phase: 'climb' });
  });

  it('does not change by what another process sent in the moment of the refusal', () => {
    const news = { others: {}, pausedUntil: NOW + 2_250 };
    const both = learn(held, refusal(30, { owner: 'q', sentAt: NOW + 2_100, now: NOW + 2_120 }), news);
    expect(both).toMatchObject({ counted: 130, rate: 100, phase: 'hold' });
  });

  it('is held until its time is over, and tried from then on', () => {
    expect(climb(held, true, null, held.holdUntil - 1)).toBe(held);
    expect(climb(held, true, null, held.holdUntil)).toMatchObject({ phase: 'probe', from: 100, rate: 100 });
  });

  it('that was disproved is not used, and stays as it is', () => {
    const open = { ...held, phase: 'open' } as const;
    expect(climb(open, true, null, later)).toBe(open);
    expect(learnedRate(open)).toBeNull();
  });

  it('is known for two minutes after the hold', () => {
    const end = held.refusedAt + held.holdMs + 120_000;
    expect(climb(held, false, null, end)).not.toBeNull();
    expect(climb(held, false, null, end + 1)).toBeNull();
  });

  it('is tried slowly a little beyond, then quickly, and is forgotten when it was exceeded many times over', () => {
    const after = wait(held, 62_000);
    expect(after?.phase).toBe('probe');
    expect(learnedRate(after)).toBeGreaterThan(100);
    expect(learnedRate(after)).toBeLessThan(115);
    expect(learnedRate(wait(after, 8_000))).toBeNull();
  });

  it.each([
    { rate: 105, counted: 100, phase: 'hold', then: 100 },
    { rate: 100, counted: 90, phase: 'hold', then: 100 },
    { rate: 120, counted: 110, phase: 'hold', then: 100 },
    { rate: 130, counted: 130, phase: 'hold', then: 130 },
    { rate: 95, counted: 86, phase: 'hold', then: 86 },
    { rate: 105, counted: 60, phase: 'climb', then: 60 },
  ] as const)('and is refused in a trial: $counted at $rate', ({ rate, counted, phase, then }) => {
    const tried = { ...held, phase: 'probe', rate } as const;
    const limit = learn(tried, refusal(counted, { now: NOW + 65_000 }), ALONE);
    expect(limit).toMatchObject({ phase, rate: then, was: rate });
  });

  it('and is refused in a trial a tenth beyond it', () => {
    const tried = { ...held, phase: 'probe', rate: 11, from: 10 } as const;
    expect(learn(tried, refusal(11, { now: NOW + 65_000 }), ALONE)).toMatchObject({ phase: 'hold', rate: 10 });
  });

  it.each([
    { rate: 20, stated: null, then: 20.5, phase: 'probe' },
    { rate: 20, stated: 20.5, then: 20.5, phase: 'open' },
    { rate: 23, stated: null, then: 23 * Math.SQRT2, phase: 'probe' },
  ])('and is tried from $rate for half a second, where $stated is stated', ({ rate, stated, then, phase }) => {
    const tried = { ...held, phase: 'probe', rate, from: 20, climbedAt: later } as const;
    const limit = climb(tried, true, stated, later + 500);
    expect(limit).toMatchObject({ phase, climbedAt: later + 500 });
    expect(limit?.rate).toBeCloseTo(then, 9);
  });

  it('is disproved once it was exceeded eight times over', () => {
    const tried = { ...held, phase: 'probe', rate: 800, from: 100, climbedAt: later } as const;
    expect(climb(tried, true, null, later)).toMatchObject({ phase: 'open', rate: 800 });
    expect(climb({ ...tried, rate: 799 }, true, null, later)).toMatchObject({ phase: 'probe', rate: 799 });
  });

  it.each([
    { was: 120, holdMs: 2_000, then: 60_000 },
    { was: 121, holdMs: 2_000, then: 8_000 },
    { was: 121, holdMs: 8_000, then: 16_000 },
    { was: null, holdMs: 200_000, then: 240_000 },
  ])('is held for $then ms after $was and a hold of $holdMs ms', ({ was, holdMs, then }) => {
    const guess = { ...first(100), was, holdMs };
    expect(learn(guess, refusal(100, { now: NOW + 2_000 }), ALONE)).toMatchObject({ phase: 'hold', holdMs: then });
  });

  it('is tried early where it fell, for it may soon be what it was', () => {
    const guess = learn(held, refusal(40, { now: later }), ALONE);
    expect(guess).toMatchObject({ rate: 50, phase: 'climb', was: 100 });
    const fallen = learn(wait(guess, 500), refusal(40, { now: later + 2_000 }), ALONE);
    expect(fallen).toMatchObject({ rate: 40, phase: 'hold', holdMs: 8_000 });
  });

  it('does not climb while nobody is short of it, and is forgotten in the end', () => {
    const idle = wait(held, 70_000, null, false);
    expect(learnedRate(idle)).toBe(100);
    expect(wait(held, 181_000, null, false)).toBeNull();
  });
});

it('whatever happens, a limit is above nothing, at most what is stated, and never rises by a refusal', () => {
  const event = fc.record({
    after: fc.integer({ min: 1, max: 20_000 }),
    counted: fc.nat(300),
    isRefused: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.option(fc.integer({ min: 1, max: 200 })), fc.array(event, { maxLength: 60 }), (stated, events) => {
      let limit: LearnedLimit | null = null;
      let now = NOW;
      for (const { after, counted, isRefused } of events) {
        now += after;
        if (limit !== null) limit = climb(limit, true, stated, now);
        const before = Math.min(learnedRate(limit) ?? Infinity, stated ?? Infinity);
        if (!isRefused) continue;
        limit = learn(limit, refusal(Math.min(counted, before), { stated, now }), ALONE);
        const rate = learnedRate(limit) ?? Infinity;
        expect(rate).toBeGreaterThan(0);
        expect(rate).toBeLessThanOrEqual(Math.max(0.2, before) * 1.1);
        expect(JSON.parse(JSON.stringify(limit))).toEqual(limit);
      }
    }),
  );
});
