import type { Failure } from '../../contract/failures.ts';
import { subsetFlags, type Subset } from '../../contract/subset.ts';

/** Chooses the rows that `--limit` or `--sample` selects. */

/** The properties by which a row is chosen. */
export interface Candidate {
  /** 1-based position in the manifest. */
  readonly row: number;
  readonly id: string;
}

/** Something with a place in an order; ranks are compared as text. */
interface Ranked {
  readonly rank: string;
}

/** Rows with the same traits. */
interface Stratum<Item extends Ranked> {
  /** The traits its rows share, most important first; null where they have none of that kind. */
  readonly traits: readonly (string | null)[];
  /** Its rows, the lowest rank first. At least one. */
  readonly items: readonly Item[];
}

/** The traits that a sample is spread over: one value of each kind, most important first; null where a row has none. */
export type Traits = Stratum<Ranked>['traits'];

/** Whether a row is chosen. */
export type IsChosen = (row: Candidate) => boolean;

/** Place of an id in the order in which a seed draws, compared as text. Different ids must have different ranks. */
export type RankOf = (seed: number, id: string) => string;

/** Number of collected rows at which those are first dropped that no sample can include. */
const FIRST_DROP_AT = 1_000;

/**
 * Chooses the rows of a subset in one pass over the manifest: the first N, or a sample of N that covers as many traits
 * (kinds, voices, engines) as possible. Memory holds about twice as many rows as the sample has, plus one for each
 * distinct set of traits.
 */
export class SubsetDraw<Item> {
  readonly #subset: Subset | null;
  readonly #rankOf: RankOf;
  readonly #take: (item: Item) => void;
  readonly #strata = new Map<string, { readonly traits: Traits; items: Drawn<Item>[] }>();
  /** Number of rows collected and not dropped. */
  #held = 0;
  /** Number of collected rows at which some are dropped next. */
  #dropAt = FIRST_DROP_AT;
  /** Number of rows offered so far. */
  #offered = 0;

  /**
   * @param take receives the item of each chosen row, in the order of the manifest; for a sample, not before
   *   {@link finish}.
   */
  constructor(subset: Subset | null, rankOf: RankOf, take: (item: Item) => void) {
    this.#subset = subset;
    this.#rankOf = rankOf;
    this.#take = take;
  }

  /** Adds the next row of the manifest. `item`: passed to `take` if the row is chosen. */
  offer({ row, id }: Candidate, traits: Traits, item: Item): void {
    const subset = this.#subset;
    if (subset?.type !== 'sample') {
      if (subset === null || row <= subset.rows) this.#take(item);
      return;
    }
    // No cell holds a NUL, and an empty one is no trait.
    const key = traits.join('\0');
    const stratum = this.#strata.get(key) ?? { traits, items: [] };
    this.#strata.set(key, stratum);
    stratum.items.push({ rank: this.#rankOf(subset.seed, id), place: this.#offered++, id, item });
    this.#held += 1;
    if (this.#held >= this.#dropAt) this.#drop(subset.rows);
  }

  /** Ends the pass. Returns a predicate that tells whether a row of the manifest is chosen. */
  finish(): IsChosen {
    const subset = this.#subset;
    if (subset === null) return () => true;
    if (subset.type === 'limit') return ({ row }) => row <= subset.rows;
    const strata = [...this.#strata.values()].map(({ traits, items }) => ({ traits, items: items.toSorted(byRank) }));
    const drawn = inSpreadOrder(strata, subset.rows);
    for (const { item } of drawn.toSorted((a, b) => a.place - b.place)) this.#take(item);
    const ids = new Set(drawn.map(({ id }) => id));
    return ({ id }) => ids.has(id);
  }

  /**
   * Drops high-ranked rows that no sample of this size can include: no stratum contributes more than it would if all
   * contribute equally.
   */
  #drop(rows: number): void {
    const strata = [...this.#strata.values()];
    const held = (max: number): number => strata.reduce((sum, { items }) => sum + Math.min(max, items.length), 0);
    let max = 1;
    while (held(max) < Math.min(rows, this.#held)) max += 1;
    for (const stratum of strata) stratum.items = stratum.items.sort(byRank).slice(0, max);
    this.#held = held(max);
    this.#dropAt = 2 * this.#held + FIRST_DROP_AT;
  }
}

function byRank(a: Ranked, b: Ranked): number {
  return a.rank < b.rank ? -1 : a.rank > b.rank ? 1 : 0;
}

/**
 * The first `max` rows of an order that spreads over all traits as early as it can. It begins with as many rows as
 * there are first traits, each with another one; then come rows with a second trait that no earlier row has, and so on;
 * then a row of each other stratum, a second row of each, a third. Rows of lower ranks come first, so the order depends
 * on ranks and traits alone.
 */
function inSpreadOrder<Item extends Ranked>(strata: readonly Stratum<Item>[], max: number): readonly Item[] {
  const [covering, others] = cover(strata);
  const order = [...covering, ...others].flatMap(({ items }) => items.slice(0, 1));
  for (let round = 1; order.length < max; round++) {
    const next = strata.flatMap(({ items }) => items.slice(round, round + 1));
    if (next.length === 0) break;
    order.push(...next.toSorted(byRank));
  }
  return order.slice(0, max);
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

/** Returns the failure of a row outside the subset. */
export function notChosenFailure(subset: Subset | null): Failure {
  return { class: 'NotChosen', message: `Not chosen by ${subsetFlags(subset).join(' ')}. Nothing was sent.` };
}

interface Drawn<Item> extends Ranked {
  readonly id: string;
  /** In the order of the manifest. */
  readonly place: number;
  readonly item: Item;
}
