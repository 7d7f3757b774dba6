/** A source of chance: the next number from 0 (included) to 1 (excluded). */
export type Chance = () => number;

/** A small seeded generator (mulberry32), so that a failing run can be replayed. */
export function seeded(seed: number): Chance {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** A whole number from `low` to `high`, both included. */
export function between(chance: Chance, low: number, high: number): number {
  return low + Math.floor(chance() * (high - low + 1));
}

/** One of the items. */
export function pick<T>(chance: Chance, items: readonly [T, ...T[]]): T {
  return items[between(chance, 0, items.length - 1)] ?? items[0];
}

/** One of the items, each as likely as its weight. */
export function pickWeighted<T>(chance: Chance, items: readonly (readonly [T, number])[]): T {
  let left = chance() * items.reduce((sum, [, weight]) => sum + weight, 0);
  for (const [item, weight] of items) if ((left -= weight) < 0) return item;
  throw new Error('There is nothing to pick from.');
}
