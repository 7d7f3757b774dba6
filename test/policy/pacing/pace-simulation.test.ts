/** @slow */
import { describe, expect, it } from '@jest/globals';
import { simulate, type Scene, type Seen } from './pace-simulation.ts';

const LIMIT = 100;
const SCENE: Scene = {
  seed: 1,
  processes: 1,
  stated: LIMIT,
  limitAt: () => LIMIT,
  retryAfterMs: 1_000,
  submits: 8,
  wayMs: [0.5, 3],
  workMs: [5, 7],
  lastsMs: 33_000,
};
const FAR: Partial<Scene> = { wayMs: [5, 15], workMs: [100, 300], submits: 32 };

const between = (times: readonly number[], from: number, to = Infinity): number =>
  times.filter((time) => time >= from && time < to).length;

/** Part of a limit that was used in a stretch of time, and refusals per 100 calls that were taken in it. */
function use({ accepted, refused }: Seen, from: number, to: number, limit = LIMIT): { part: number; refusals: number } {
  const taken = between(accepted, from, to);
  return { part: taken / ((limit * (to - from)) / 1_000), refusals: (100 * between(refused, from, to)) / taken };
}

const scenes: readonly [string, Partial<Scene>, least?: number][] = [
  ['a stated rate', {}],
  ['a stated rate, by a process that stands still now and then', { stallMs: 40 }],
  ['a stated rate, far away', FAR],
  ['a stated rate, by three processes', { processes: 3 }],
  ['a stated rate, by four processes that stand still now and then', { processes: 4, stallMs: 200 }],
  [
    'a small stated rate, by three processes that stand still',
    { processes: 3, stallMs: 200, stated: 17, limitAt: () => 17 },
  ],
  ['a stated rate, whose records take long', { submits: 32, intentMs: [20, 120] }],
  [
    'a small stated rate, by four processes whose records take long, and that stand still now and then',
    { processes: 4, stallMs: 200, stated: 50, limitAt: () => 50, submits: 32, intentMs: [20, 120], workMs: [20, 60] },
  ],
  ['a hidden limit', { stated: null }],
  ['a hidden limit that asks for no pause', { stated: null, retryAfterMs: undefined }],
  ['a hidden limit, far away', { ...FAR, stated: null }],
  ['a stated rate that is twice too high', { limitAt: () => 50 }, 0.96],
];

describe('the pace of all processes together', () => {
  it.each(scenes)(
    'uses nearly all of %s from the third second on, at one refusal in a hundred',
    (_, more, least = 0.98) => {
      for (const seed of [1, 2, 3]) {
        const scene = { ...SCENE, ...more, seed };
        const seen = simulate(scene);
        const after = use(seen, 3_000, scene.lastsMs, scene.limitAt(0));
        expect(after.part).toBeGreaterThanOrEqual(least);
        expect(after.refusals).toBeLessThanOrEqual(1);
        expect(use(seen, 0, scene.lastsMs).refusals).toBeLessThanOrEqual(1);
        // Some updates of the shared state a second, however many calls there are.
        expect(seen.updates / scene.processes / 33).toBeLessThanOrEqual(5);
      }
    },
  );

  // What each counts of the others is a moment old: a call or two of a hundred may be missing.
  it.each([2, 3])('uses 95 %% of a hidden limit by %d processes, at one refusal in a hundred', (processes) => {
    for (const seed of [1, 2, 3]) {
      const seen = simulate({ ...SCENE, stated: null, processes, seed });
      expect(use(seen, 3_000, 33_000).part).toBeGreaterThanOrEqual(0.95);
      expect(use(seen, 0, 33_000).refusals).toBeLessThanOrEqual(1);
    }
  });

  it('needs little more time for a hidden limit than if anybody had known it: 29 s', () => {
    for (const seed of [1, 2, 3, 4, 5]) {
      const { accepted } = simulate({ ...SCENE, stated: null, submits: 32, workMs: [20, 40], seed });
      expect(accepted[2_999]).toBeLessThanOrEqual(31_000);
    }
  });

  it.each<[string, Partial<Scene>]>([
    ['far away, when calls come in another order than they were sent', { ...FAR, wayMs: [5, 25] }],
    ['by three processes that are far away', { ...FAR, processes: 3 }],
  ])('uses most of a rate %s', (_, more) => {
    const seen = simulate({ ...SCENE, ...more });
    expect(use(seen, 3_000, 33_000).part).toBeGreaterThanOrEqual(0.85);
    expect(use(seen, 0, 33_000).refusals).toBeLessThanOrEqual(1);
  });

  it.each([
    ['at the start', 200],
    ['later', 10_000],
  ])('is what it was within a second after the pause of a stray refusal %s', (_, at) => {
    const seen = simulate({ ...SCENE, strays: [at] });
    expect(seen.refused).toHaveLength(1);
    for (let second = at + 2_000; second < 30_000; second += 1_000) {
      expect(use(seen, second, second + 1_000).part).toBeGreaterThanOrEqual(0.97);
    }
  });

  it.each([1, 2, 3])('keeps to any rate and uses it, by %d processes', (processes) => {
    for (const stated of [3, 7.3, 20, 41.7, 99.5, 125, 333]) {
      const seen = simulate({ ...SCENE, stated, processes, submits: 64, wayMs: [0, 0], limitAt: () => Infinity });
      const limit = Math.ceil(stated);
      const tooSoon = seen.accepted.filter((at, index) => at - (seen.accepted[index - limit] ?? -1_000) < 1_000);
      expect({ stated, tooSoon }).toEqual({ stated, tooSoon: [] });
      expect(use(seen, 3_000, 33_000, stated).part).toBeGreaterThanOrEqual(0.975);
    }
  });

  it.each([20, 100, 333])('keeps to a rate of %d/s when others join one who has made up for missed calls', (stated) => {
    for (let joinAt = 100; joinAt <= 1_500; joinAt += 50) {
      const scene = { ...SCENE, stated, processes: 3, joinAt, submits: 64, wayMs: [0, 0] as const, lastsMs: 4_000 };
      const seen = simulate({ ...scene, limitAt: () => Infinity });
      // Of one who is alone the calls are a little closer than those of several: by less than the second has in hand.
      const tooSoon = seen.accepted.filter((at, index) => at - (seen.accepted[index - stated] ?? -1_000) < 990);
      expect({ joinAt, tooSoon }).toEqual({ joinAt, tooSoon: [] });
    }
  });

  it('without a limit is what it was, too', () => {
    const seen = simulate({ ...SCENE, stated: null, limitAt: () => Infinity, submits: 1, strays: [5_000] });
    const before = between(seen.accepted, 3_000, 5_000);
    expect(between(seen.accepted, 6_500, 8_500)).toBeGreaterThanOrEqual(0.95 * before);
  });

  it('follows a limit that falls and rises again', () => {
    const limitAt = (now: number): number => (now < 10_000 || now >= 20_000 ? LIMIT : 40);
    const seen = simulate({ ...SCENE, stated: null, limitAt, lastsMs: 45_000 });
    expect(use(seen, 14_000, 20_000, 40).part).toBeGreaterThanOrEqual(0.95);
    expect(use(seen, 35_000, 45_000).part).toBeGreaterThanOrEqual(0.9);
    expect(use(seen, 0, 45_000).refusals).toBeLessThanOrEqual(1);
  });

  it('tries a hidden limit so rarely that it costs nothing to speak of', () => {
    const seen = simulate({ ...SCENE, stated: null, lastsMs: 200_000 });
    expect(use(seen, 3_000, 200_000).part).toBeGreaterThanOrEqual(0.975);
  });
});
