import { byRank, type Ranked } from './rank-heap.ts';

/** Rows with the same traits. */
export interface Stratum<Item extends Ranked> {
  /** What its rows have in common, the most important trait first; null: it has none of this sort. */
  readonly traits: readonly (string | null)[];
  /** Its rows, the lowest rank first. At least one. */
  readonly items: readonly Item[];
}

/**
 * The first `most` rows of an order that spreads over all traits as early as it can. It begins with as many rows as
 * there are first traits, each with another one; then come rows with a second trait that no earlier row has, and so on;
 * then a row of each other stratum, a second row of each, a third. Rows of lower ranks come first, so the order depends
 * on ranks and traits alone.
 */
export function inSpreadOrder<Item extends Ranked>(strata: readonly Stratum<Item>[], most: number): readonly Item[] {
  const [covering, others] = cover(strata);
  const order = [...covering, ...others].flatMap(({ items }) => items.slice(0, 1));
  for (let round = 1; order.length < most; round++) {
    const next = strata.flatMap(({ items }) => items.slice(round, round + 1));
    if (next.length === 0) break;
    order.push(...next.toSorted(byRank));
  }
  return order.slice(0, most);
}

/**
 * Strata in the order in which they add new traits, and those that add none, both by rank where they are equal. Each
 * stratum waits in the pile of the traits that it would add; what it adds can only become less.
 */
function cover<Item extends Ranked>(
  strata: readonly Stratum<Item>[],
): readonly [covering: readonly Stratum<Item>[], others: readonly Stratum<Item>[]] {
  const seen = new Set<string>();
  const keyOf = (trait: string, sort: number): string => JSON.stringify([sort, trait]);
  /** A bit per trait that is new, the highest for the most important. */
  const newTraits = ({ traits }: Stratum<Item>): number =>
    traits.reduce((bits, trait, sort) => {
      const isNew = trait !== null && !seen.has(keyOf(trait, sort));
      return bits * 2 + (isNew ? 1 : 0);
    }, 0);
  const width = Math.max(0, ...strata.map(({ traits }) => traits.length));
  const piles: Stratum<Item>[][] = Array.from({ length: 2 ** width }, () => []);
  for (const stratum of strata) piles[newTraits(stratum)]?.push(stratum);
  const covering: Stratum<Item>[] = [];
  for (let bits = piles.length - 1; bits > 0; bits--) {
    for (const stratum of (piles[bits] ?? []).toSorted(byFirst)) {
      const now = newTraits(stratum);
      if (now !== bits) piles[now]?.push(stratum);
      else {
        covering.push(stratum);
        for (const [sort, trait] of stratum.traits.entries()) if (trait !== null) seen.add(keyOf(trait, sort));
      }
    }
  }
  return [covering, (piles[0] ?? []).toSorted(byFirst)];
}

function byFirst(a: Stratum<Ranked>, b: Stratum<Ranked>): number {
  const [one, other] = [a.items[0], b.items[0]];
  return one === undefined || other === undefined ? 0 : byRank(one, other);
}
