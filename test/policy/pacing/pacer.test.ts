import { describe, expect, it } from '@jest/globals';
import { Pacer, type PacerShare, type Slot } from '../../../policy/pacing/pacer.ts';

const share = (rate: number, more: Partial<PacerShare> = {}): PacerShare => ({
  ...{ rate, mayCatchUp: false, mayBunch: false, pausedUntil: 0 },
  ...more,
});

/** The gap between the slots of a rate, ms: a little wider than by the rate. */
const gapOf = (rate: number): number => 1_000 / (0.987 * rate);

/** The next slot, whenever it comes. */
function taken(pacer: Pacer, of: PacerShare, now: number): Slot {
  const next = pacer.next(of, now, Infinity);
  if ('notBefore' in next) throw new Error('a slot that is not far ahead was not given');
  return next;
}

const times = (count: number, pacer: Pacer, of: PacerShare, now: number): readonly number[] =>
  Array.from({ length: count }, () => taken(pacer, of, now).at);

describe('a pacer', () => {
  it('spaces slots by its share, a little wider, also for those who come at once', () => {
    const all = times(4, new Pacer(0), share(10), 5_000);
    for (const [index, at] of all.slice(1).entries()) expect(at - (all[index] ?? 0)).toBeCloseTo(gapOf(10), 6);
  });

  it('gives none that is further ahead than asked for, and says when it will', () => {
    const pacer = new Pacer(0);
    const { at } = taken(pacer, share(1), 5_000);
    expect(pacer.next(share(1), at, 12)).toEqual({ notBefore: at + 1000 / 0.987 - 12 });
    expect(pacer.next(share(1), at + 1_010, 12)).not.toHaveProperty('notBefore');
  });

  it('follows a rate that was raised at once', () => {
    const pacer = new Pacer(0);
    taken(pacer, share(0.01), 5_000);
    expect(taken(pacer, share(10), 5_200).at).toBe(5_200);
  });

  it('does not shift slots by a call that went late', () => {
    const pacer = new Pacer(0);
    const first = taken(pacer, share(10), 0);
    const second = taken(pacer, share(10), first.at + 100);
    second.at += 20;
    const third = taken(pacer, share(10), second.at);
    expect(third.at - first.at).toBeCloseTo(2 * gapOf(10), 6);
  });

  it('makes up for missed slots where nobody else could have used them, at twice the pace', () => {
    const alone = share(10, { mayCatchUp: true });
    const pacer = new Pacer(0);
    taken(pacer, alone, 0);
    // Ten slots of the second before, closer together than those that follow.
    const all = times(8, pacer, alone, 5_000).map((time) => Math.round(time - 5_000));
    expect(all).toEqual([0, 50, 101, 151, 201, 251, 302, 352]);
    expect(taken(new Pacer(0.5), share(10), 5_000).at).toBe(5_050);
  });

  it('gives a slot whose moment is now, and lays no new grid for it', () => {
    const pacer = new Pacer(0.5);
    const { at } = taken(pacer, share(10), 5_000);
    const next = pacer.next(share(10), at, 0);
    if (!('notBefore' in next)) throw new Error('a slot that is ahead was given');
    expect(pacer.next(share(10), next.notBefore, 0)).toMatchObject({ at: next.notBefore });
  });

  it.each([1, 10])('gives a slot that was given back to the next one, once, at %d calls a second', (rate) => {
    const pacer = new Pacer(0);
    const first = taken(pacer, share(rate), 1_000);
    pacer.giveBack(first);
    const [again, next = NaN] = times(2, pacer, share(rate), 1_000);
    expect(again).toBe(first.at);
    expect(next - first.at).toBeCloseTo(gapOf(rate), 6);
  });

  it('forgets a slot that was given back and is long past', () => {
    const pacer = new Pacer(0);
    const alone = share(1, { mayCatchUp: true });
    pacer.giveBack(taken(pacer, alone, 1_000));
    const next = taken(pacer, alone, 60_000);
    expect(next.at).toBe(60_000);
    // Once only: the one after it has the place on the grid.
    expect(taken(pacer, alone, 60_000).at).toBeGreaterThan(60_900);
  });

  it('takes nothing back that it has not given, or has forgotten', () => {
    for (const rate of [1, 10]) {
      const pacer = new Pacer(0);
      const first = taken(pacer, share(rate), 1_000);
      pacer.giveBack({ ...first });
      expect(taken(pacer, share(rate), 1_000).at).toBeCloseTo(1_000 + gapOf(rate), 6);
      expect(pacer.usedBefore(first.at + 1)).toBe(1);
    }
  });

  it('gives the place of a call that had its turn and did not go after all to the next one', () => {
    const pacer = new Pacer(0);
    const first = taken(pacer, share(10), 1_000);
    expect(pacer.depart(first, 1_000)).toBe(0);
    pacer.giveBack(first);
    expect(pacer.usedBefore(1_500)).toBe(0);
    expect(times(2, pacer, share(10), 1_000)).toEqual([1_000, expect.closeTo(1_101.32, 2)]);
  });

  it.each([
    ['waits for its moment', (_: Pacer) => undefined],
    ['was sent', (pacer: Pacer, slot: Slot) => pacer.depart(slot, slot.at)],
  ])('forgets a call of long ago that %s: it is not taken back any more', (_, become) => {
    const pacer = new Pacer(0);
    const old = pacer.unlimited(1_000, 0);
    become(pacer, old);
    for (let call = 0; call < 64; call++) become(pacer, pacer.unlimited(5_000, 0));
    pacer.giveBack(old);
    const [first = NaN, second = NaN] = times(2, pacer, share(100), 7_000);
    expect(second - first).toBeCloseTo(gapOf(100), 6);
  });

  it('remembers each call of the second before, however many there are', () => {
    const pacer = new Pacer(0);
    for (let call = 0; call < 70; call++) {
      const slot = pacer.unlimited(5_000 + call, 0);
      pacer.depart(slot, slot.at);
    }
    pacer.unlimited(5_100, 0);
    expect(taken(pacer, share(60), 5_100).at).toBe(5_011 + 1_010);
  });

  it('remembers the last call that was sent, however long ago, for a rate far below one a second', () => {
    const pacer = new Pacer(0);
    for (let call = 0; call < 63; call++) {
      const slot = pacer.unlimited(1_000 + call, 0);
      pacer.depart(slot, slot.at);
    }
    pacer.giveBack(pacer.unlimited(10_000, 0));
    expect(taken(pacer, share(0.05), 10_000).at).toBe(1_062 + 20_010);
  });

  it('counts the second before a moment, without its ends', () => {
    const pacer = new Pacer(0);
    for (const at of [1_000, 1_001, 1_999, 2_000]) pacer.unlimited(at, 0);
    expect(pacer.usedBefore(2_000)).toBe(2);
  });

  it('lets calls of a high rate go a few together, and no fewer of them', () => {
    const all = times(1_000, new Pacer(0.4), share(100, { mayBunch: true }), 5_000);
    const moments = [...new Set(all.slice(10))];
    expect(moments.length).toBeLessThan(450);
    const sizes = moments.slice(1, -1).map((moment) => all.filter((time) => time === moment).length);
    expect([...new Set(sizes)].sort()).toEqual([2, 3]);
    expect((all[999] ?? 0) - (all[0] ?? 0)).toBeLessThan((999 * 10) / 0.98);
  });

  it.each([
    ['of a low rate', share(30, { mayBunch: true })],
    ['of a high rate that refusals have taught', share(100)],
  ])('lets each call %s go by itself', (_, of) => {
    const all = times(of.rate - 1, new Pacer(0.4), of, 5_000);
    for (const [index, at] of all.slice(1).entries()) expect(at - (all[index] ?? NaN)).toBeCloseTo(gapOf(of.rate), 6);
  });

  it('lays ticks by its own phase, whatever went one by one before, and goes on from the last where the rate changes', () => {
    const bunched = { mayBunch: true };
    const tick = 25.25; // A whole part of the second and its slack.
    const pacer = new Pacer(0.4);
    taken(pacer, share(10), 5_001);
    const first = taken(pacer, share(100, bunched), 5_001).at;
    expect((first / tick) % 1).toBeCloseTo(0.4, 6);
    // One whose moment is a tick has that one.
    const from = (pausedUntil: number, rate: number): number =>
      taken(pacer, share(rate, { ...bunched, mayCatchUp: true, pausedUntil }), 5_001).at;
    const fourth = first + 4 * tick;
    expect(from(fourth, 100)).toBe(fourth);
    expect(from(fourth + 1, 100.5)).toBeCloseTo(fourth + ((101 / 100.5) * 1_000 + 10) / 41, 6);
  });

  it('makes up for missed slots a few together, at twice the pace', () => {
    const pacer = new Pacer(0.4);
    const alone = share(100, { mayBunch: true, mayCatchUp: true });
    taken(pacer, alone, 0);
    const all = times(50, pacer, alone, 5_000);
    expect((all[49] ?? 0) - 5_000).toBeLessThan(260);
    for (const from of all) expect(all.filter((time) => time >= from && time < from + 24).length).toBeLessThan(6);
  });

  it('lets a call that was held up wait for room, and go then', () => {
    const pacer = new Pacer(0);
    const late = taken(pacer, share(2), 1_000);
    const others = [1, 2, 3].map(() => taken(pacer, share(2), 1_000));
    for (const slot of others) expect(pacer.depart(slot, slot.at)).toBe(0);
    const now = (others[2]?.at ?? 0) + 10;
    const roomAt = (others[1]?.at ?? 0) + 1_010;
    expect(pacer.depart(late, now)).toBeCloseTo(roomAt - now, 6);
    expect(pacer.depart(late, roomAt)).toBe(0);
    expect(late.at).toBe(roomAt);
    // The next one is a second after those that were sent, not after when they should have been.
    expect(taken(pacer, share(2), roomAt).at).toBeGreaterThanOrEqual((others[2]?.at ?? 0) + 1_010);
  });

  it('lets no call go before its moment', () => {
    const pacer = new Pacer(0);
    const slot = taken(pacer, share(10), 1_000);
    expect([5, 1, 0].map((early) => pacer.depart(slot, slot.at - early))).toEqual([5, 1, 0]);
  });

  it('keeps nobody waiting where nothing limits', () => {
    const pacer = new Pacer(0);
    const slots = Array.from({ length: 2_000 }, () => pacer.unlimited(1_000, 0));
    expect(slots.map((slot) => pacer.depart(slot, 1_000))).toEqual(slots.map(() => 0));
  });

  it('keeps calls that nothing limits a little apart, whether those before are on their way or have to wait', () => {
    const pacer = new Pacer(0);
    const slots = [1, 2, 3].map(() => pacer.unlimited(2, 5));
    expect(slots.map(({ at }) => at)).toEqual([2, 7, 12]);
    for (const slot of slots) pacer.depart(slot, slot.at);
    expect(pacer.unlimited(2, 5).at).toBe(17);
    expect(pacer.unlimited(2, 5).at).toBe(22);
    expect(pacer.unlimited(100, 5).at).toBe(100);
  });

  it('gives none in a pause, and counts what was sent and not refused', () => {
    const pacer = new Pacer(0);
    expect(taken(pacer, share(10, { pausedUntil: 7_000 }), 5_000).at).toBe(7_000);
    pacer.unlimited(7_100, 0);
    pacer.unlimited(7_200, 0).isRefused = true;
    expect([7_300, 8_050, 9_000].map((now) => pacer.usedBefore(now))).toEqual([2, 1, 0]);
  });

  it('keeps no more of the past than it needs', () => {
    const pacer = new Pacer(0);
    for (let call = 0; call < 100_000; call++) pacer.unlimited(call, 1);
    expect(pacer.usedBefore(100_000)).toBe(999);
  });
});
