import type { Failure } from '../contract/failures.ts';
import { subsetFlags, type Subset } from '../contract/subset.ts';

/** What a row is chosen by. */
export interface Candidate {
  /** 1-based position in the manifest. */
  readonly row: number;
  readonly id: string;
}

/** Whether a row is chosen. */
export type IsChosen = (row: Candidate) => boolean;

/** Place of an id in the order in which a seed draws, compared as text. Different ids must have different ranks. */
export type RankOf = (seed: number, id: string) => string;

/**
 * Chooses the rows of a subset while a manifest is read once, in its order: the first N, or the N of the lowest ranks. Of the rows it holds
 * at most as many as a sample has.
 */
export class SubsetDraw<Item> {
  readonly #subset: Subset | null;
  readonly #rankOf: RankOf;
  readonly #take: (item: Item) => void;
  /** The drawn rows, the highest rank on top. */
  readonly #drawn: Drawn<Item>[] = [];
  #offered = 0;

  /** `take` is given what came with each chosen row, in the order of the manifest: a sample's not before {@link finish}. */
  constructor(subset: Subset | null, rankOf: RankOf, take: (item: Item) => void) {
    this.#subset = subset;
    this.#rankOf = rankOf;
    this.#take = take;
  }

  /** Takes in the next row of the manifest. */
  offer(row: Candidate, item: Item): void {
    const subset = this.#subset;
    if (subset?.type !== 'sample') {
      if (subset === null || row.row <= subset.rows) this.#take(item);
      return;
    }
    const one = { rank: this.#rankOf(subset.seed, row.id), place: this.#offered++, item };
    if (this.#drawn.length < subset.rows) push(this.#drawn, one);
    else if (one.rank < (this.#drawn[0]?.rank ?? '')) replaceTop(this.#drawn, one);
  }

  /** Ends the draw. What it returns tells for any row of the manifest whether it is chosen, and holds no rows. */
  finish(): IsChosen {
    const subset = this.#subset;
    if (subset === null) return () => true;
    if (subset.type === 'limit') return ({ row }) => row <= subset.rows;
    for (const { item } of this.#drawn.toSorted((a, b) => a.place - b.place)) this.#take(item);
    const rankOf = this.#rankOf;
    const last = this.#drawn[0]?.rank ?? '';
    return ({ id }) => rankOf(subset.seed, id) <= last;
  }
}

/** Why a row has ended that is not of the subset. */
export function whyNotChosen(subset: Subset | null): Failure {
  return { class: 'NotChosen', message: `Not chosen by ${subsetFlags(subset).join(' ')}. Nothing was sent.` };
}

interface Drawn<Item> {
  readonly rank: string;
  /** In the order of the manifest. */
  readonly place: number;
  readonly item: Item;
}

/** Adds to a binary heap whose top has the highest rank. */
function push<Item>(heap: Drawn<Item>[], one: Drawn<Item>): void {
  let at = heap.length;
  heap.push(one);
  while (at > 0) {
    const above = (at - 1) >> 1;
    const parent = heap[above];
    if (parent === undefined || parent.rank >= one.rank) break;
    heap[at] = parent;
    at = above;
  }
  heap[at] = one;
}

/** Puts this in the place of the highest rank. */
function replaceTop<Item>(heap: Drawn<Item>[], one: Drawn<Item>): void {
  let at = 0;
  for (;;) {
    const left = 2 * at + 1;
    const right = left + 1;
    const below = (heap[right]?.rank ?? '') > (heap[left]?.rank ?? '') ? right : left;
    const child = heap[below];
    if (child === undefined || child.rank <= one.rank) break;
    heap[at] = child;
    at = below;
  }
  heap[at] = one;
}
