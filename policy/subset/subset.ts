import type { Failure } from '../../contract/failures.ts';
import { subsetFlags, type Subset } from '../../contract/subset.ts';
import { RankHeap, type Ranked } from './rank-heap.ts';
import { inSpreadOrder, type Stratum } from './spread-order.ts';
import type { Dialect } from '../../contract/dialects.ts';
import { dialectsOf, type StepChoice } from '../../contract/row-kinds.ts';

/** What a row is chosen by. */
export interface Candidate {
  /** 1-based position in the manifest. */
  readonly row: number;
  readonly id: string;
}

/** What a sample is spread over: a value of each sort, the most important first; null where a row has none. */
export type Traits = Stratum<Ranked>['traits'];

/** Whether a row is chosen. */
export type IsChosen = (row: Candidate) => boolean;

/** Place of an id in the order in which a seed draws, compared as text. Different ids must have different ranks. */
export type RankOf = (seed: number, id: string) => string;

/**
 * Chooses the rows of a subset while a manifest is read once, in its order: the first N, or N that are spread over
 * their traits (see `spread-order.ts`). Of the rows it holds at most as many as a sample has, and one for each different
 * set of traits.
 */
export class SubsetDraw<Item> {
  readonly #subset: Subset | null;
  readonly #rankOf: RankOf;
  readonly #take: (item: Item) => void;
  readonly #strata = new Map<string, { readonly traits: Traits; readonly heap: RankHeap<Drawn<Item>> }>();
  /** No stratum will give more rows than this: the rows held are enough for the sample without a longer one. */
  #level: number;
  #held = 0;
  /** Strata that hold as many rows as they may. */
  #full = 0;
  #offered = 0;

  /** `take` is given what came with each chosen row, in the order of the manifest: a sample's not before {@link finish}. */
  constructor(subset: Subset | null, rankOf: RankOf, take: (item: Item) => void) {
    this.#subset = subset;
    this.#rankOf = rankOf;
    this.#take = take;
    this.#level = subset?.rows ?? 0;
  }

  /** Takes in the next row of the manifest. `traits`: what a sample is spread over, the most important first. */
  offer({ row, id }: Candidate, traits: Traits, item: Item): void {
    const subset = this.#subset;
    if (subset?.type !== 'sample') {
      if (subset === null || row <= subset.rows) this.#take(item);
      return;
    }
    const one = { rank: this.#rankOf(subset.seed, id), place: this.#offered++, id, item };
    const heap = this.#heapOf(traits);
    if (heap.size === this.#level) {
      if (one.rank < heap.top) heap.replaceTop(one);
      return;
    }
    heap.push(one);
    this.#held++;
    if (heap.size === this.#level) this.#full++;
    while (this.#level > 1 && this.#held - this.#full >= subset.rows) this.#lower();
  }

  /** Ends the draw. What it returns tells for any row of the manifest whether it is chosen; it holds their ids. */
  finish(): IsChosen {
    const subset = this.#subset;
    if (subset === null) return () => true;
    if (subset.type === 'limit') return ({ row }) => row <= subset.rows;
    const strata = [...this.#strata.values()].map(({ traits, heap }) => ({ traits, items: heap.sorted() }));
    const drawn = inSpreadOrder(strata, subset.rows);
    for (const { item } of drawn.toSorted((a, b) => a.place - b.place)) this.#take(item);
    const ids = new Set(drawn.map(({ id }) => id));
    return ({ id }) => ids.has(id);
  }

  #heapOf(traits: Traits): RankHeap<Drawn<Item>> {
    // No cell holds a NUL, and an empty one is no trait.
    const key = traits.join('\0');
    const known = this.#strata.get(key);
    if (known !== undefined) return known.heap;
    const heap = new RankHeap<Drawn<Item>>();
    this.#strata.set(key, { traits, heap });
    return heap;
  }

  /** Shortens the longest strata by a row each. */
  #lower(): void {
    for (const { heap } of this.#strata.values()) if (heap.size === this.#level) heap.pop();
    this.#held -= this.#full;
    this.#level--;
    this.#full = 0;
    for (const { heap } of this.#strata.values()) if (heap.size === this.#level) this.#full++;
  }
}

/** Why a row has ended that is not of the subset. */
export function whyNotChosen(subset: Subset | null): Failure {
  return { class: 'NotChosen', message: `Not chosen by ${subsetFlags(subset).join(' ')}. Nothing was sent.` };
}

interface Drawn<Item> extends Ranked {
  readonly id: string;
  /** In the order of the manifest. */
  readonly place: number;
  readonly item: Item;
}

/**
 * The dialect of a row, for good. If only a share of the rows speaks legacy, these are drawn by their ids: the same rows
 * in every batch, and with a larger share these and more. Rows of a kind that legacy lacks then stay on v1.
 *
 * @param legacyShare share of the rows that speak legacy, 0 to 1.
 * @returns undefined if the row has to speak legacy, and its kind cannot.
 */
export function dialectOfRow(row: StepChoice, id: string, legacyShare: number): Dialect | undefined {
  if (legacyShare <= 0) return 'v1';
  const isAble = dialectsOf(row).includes('legacy');
  if (legacyShare >= 1) return isAble ? 'legacy' : undefined;
  return isAble && placeOf(id) < legacyShare ? 'legacy' : 'v1';
}

/** Where an id stands between 0 and 1: anywhere, and always there (FNV-1a with a final mix). */
function placeOf(id: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < id.length; at++) hash = Math.imul(hash ^ id.charCodeAt(at), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32;
}
