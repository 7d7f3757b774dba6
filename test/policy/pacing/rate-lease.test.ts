import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { lease, LEASE_MS, type LeaseAnswer, type LeaseRequest } from '../../../policy/pacing/rate-lease.ts';
import { FRESH_RATE, recordRefusal, type Lease, type RateState } from '../../../policy/pacing/rate.ts';

const NOW = 1_000_000;
const ALL = 1e9;
const ask = (owner: string, more: Partial<LeaseRequest> = {}): LeaseRequest => ({
  ...{ owner, batch: 'b', limit: 90, want: ALL, used: 0, isShort: true, now: NOW },
  ...more,
});

/** A share that a process has of a rate that it could use alone. */
const lentTo = (owner: string, more: Partial<Lease> = {}): Lease => ({
  ...{ owner, batch: 'b', share: 0, limit: 90, want: ALL, used: 0, until: NOW + 500 },
  ...more,
});
const lent = (...leases: readonly Lease[]): RateState => ({
  ...FRESH_RATE,
  leases: Object.fromEntries(leases.map((one) => [`${one.owner} ${one.batch}`, one])),
});

/** Some ask one after another, again and again; what each has at last. */
function settled(
  asks: readonly LeaseRequest[],
  rounds = 4,
): { state: RateState | undefined; rates: (number | null)[] } {
  let state: RateState | undefined;
  let rates: (number | null)[] = [];
  for (let round = 0; round < rounds; round++) {
    rates = asks.map((one) => {
      const given = lease(state, { ...one, now: one.now + round * 250 });
      state = given.state;
      return given.result.rate;
    });
  }
  return { state, rates };
}

describe('a lease', () => {
  it('is not needed without a limit, and then there is nothing to write; it says that the service was in trouble', () => {
    const first = lease(undefined, ask('p', { limit: null }));
    const free = { rate: null, pauseMs: 0, isTroubled: false, isAlone: true, isStated: false };
    expect(first.result).toEqual(free);
    const state: RateState = { ...FRESH_RATE };
    expect(lease(state, ask('p', { limit: null })).state).toBe(state);
    expect(lease({ ...FRESH_RATE, troubles: 1 }, ask('p')).result.isTroubled).toBe(true);
  });

  it.each<[string, readonly Lease[], Partial<LeaseRequest>, number]>([
    // What another has sent before it gave way still counts where the API counts.
    ['what another has sent beyond its share is left out', [lentTo('q', { share: 45, used: 80 })], {}, 10],
    ['all may be sent already', [lentTo('q', { share: 45, used: 90 })], {}, 0],
    ['one call too many counts for nothing', [lentTo('q', { share: 45, used: 46 })], {}, 45],
    ['one who is alone has all, also where little is wanted', [], { want: 10 }, 90],
    ['one who wants little has room to grow', [lentTo('q', { share: 30 })], { want: 10 }, 20],
    ['equal parts of what others leave', [lentTo('q', { share: 20 }), lentTo('r', { share: 5, want: 5 })], {}, 43],
    ['an equal part for one who wants no more', [lentTo('q')], { want: 45 }, 45],
    // One who wants just an equal part counts among those who have one, so that what is left over goes to whoever asks first.
    ['what is left over beside an equal part', [lentTo('q', { limit: 7, want: 3.5 })], { limit: 7 }, 4],
  ])('is what is free: %s', (_, others, more, rate) => {
    expect(lease(lent(...others), ask('p', more)).result.rate).toBe(rate);
  });

  it('is shared in whole calls, where there is one for each', () => {
    const three = [ask('p', { limit: 20 }), ask('q', { limit: 20 }), ask('r', { limit: 20 })];
    expect(settled(three).rates).toEqual([7, 7, 6]);
    expect(settled(three.map((one) => ({ ...one, limit: 1.5 }))).rates).toEqual([0.5, 0.5, 0.5]);
    const [first, ...rest] = settled(three.map((one) => ({ ...one, limit: 3.6 }))).rates;
    expect(first).toBeCloseTo(1.6, 9);
    expect(rest).toEqual([1, 1]);
  });

  it('leaves to others what one does not want, and room to begin', () => {
    expect(settled([ask('p'), ask('q', { want: 10, isShort: false })]).rates).toEqual([80, 10]);
    expect(settled([ask('p'), ask('q', { want: 0, isShort: false })]).rates).toEqual([85.5, 4.5]);
  });

  it('comes back when it is not renewed', () => {
    const { state } = settled([ask('p'), ask('q')]);
    const later = NOW + 750 + LEASE_MS + 1;
    expect(lease(state, ask('p', { now: later })).result).toMatchObject({ rate: 90, isAlone: false });
    expect(lease(state, ask('p', { now: later + 1_000 })).result).toMatchObject({ rate: 90, isAlone: true });
  });

  it('keeps each batch to its own rate, and none holds a quicker one up', () => {
    const slow = { batch: 'slow', limit: 9 };
    expect(settled([ask('p', { batch: 'quick' }), ask('q', slow)]).rates).toEqual([81, 9]);
    const [, ...rates] = settled([ask('p', { batch: 'quick' }), ask('q', slow), ask('r', slow)]).rates;
    expect(rates).toEqual([5, 4]);
  });

  it('is of what was learned, where that is less', () => {
    const news = { owner: 'p', counted: 20, stated: null, sentAt: NOW - 1, now: NOW };
    const state = recordRefusal(undefined, news);
    const { result } = lease(state, ask('p', { limit: null, now: NOW + 100 }));
    expect(result).toMatchObject({ rate: 20, pauseMs: 150, isStated: false });
    const asStated = (limit: number): boolean => lease(state, ask('p', { limit, now: NOW + 100 })).result.isStated;
    expect([10, 20, 30].map(asStated)).toEqual([true, true, false]);
  });

  it('is dropped where nothing limits its holder any more', () => {
    const state = lent(lentTo('p'), lentTo('q'));
    expect(lease(state, ask('p', { limit: null })).state.leases).toEqual({ 'q b': state.leases['q b'] });
    expect(JSON.parse(JSON.stringify(state))).toEqual(state);
  });

  it.each([
    ['a quicker batch', lentTo('q', { batch: 'quick' }), 'climb'],
    ['a batch without a rate', lentTo('q', { batch: 'free', limit: null }), 'climb'],
    ['a slower batch', lentTo('q', { batch: 'slow', limit: 1 }), 'open'],
    ['a quicker batch of a while ago', lentTo('q', { batch: 'quick', until: NOW }), 'open'],
    ['no other batch', undefined, 'open'],
  ] as const)('lets a learned rate climb to what is stated, beside %s', (_, other, phase) => {
    const { limit } = recordRefusal(undefined, {
      owner: 'p',
      counted: 1,
      stated: null,
      sentAt: NOW - 601,
      now: NOW - 600,
    });
    const state = { ...lent(...(other === undefined ? [] : [other])), limit };
    expect(lease(state, ask('p', { limit: 1.2 })).state.limit?.phase).toBe(phase);
  });

  it('never lends more than the rate, whoever asks when', () => {
    const asks = fc.array(
      fc.record({
        owner: fc.constantFrom('p', 'q', 'r', 's'),
        after: fc.nat(400),
        want: fc.constantFrom(0, 5, 40, ALL),
      }),
      { minLength: 1, maxLength: 60 },
    );
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 500 }), asks, (limit, all) => {
        let state: RateState | undefined;
        let now = NOW;
        const held = new Map<string, { answer: LeaseAnswer; until: number }>();
        for (const { owner, after, want } of all) {
          now += after;
          const given = lease(state, ask(owner, { limit, want, now }));
          state = given.state;
          held.set(owner, { answer: given.result, until: now + LEASE_MS });
          const lent = [...held.values()].filter(({ until }) => until > now).map(({ answer }) => answer.rate ?? NaN);
          expect(lent.reduce((sum, rate) => sum + rate, 0)).toBeLessThanOrEqual(limit * 1.000001);
        }
      }),
    );
  });
});
