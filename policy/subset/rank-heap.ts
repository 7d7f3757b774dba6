/** Something with a place in an order; ranks are compared as text. */
export interface Ranked {
  readonly rank: string;
}

/** A binary heap with the highest rank on top, to keep the items of the lowest ranks. */
export class RankHeap<Item extends Ranked> {
  readonly #items: Item[] = [];

  get size(): number {
    return this.#items.length;
  }

  /** The highest rank; empty text, which is below every rank, if there is no item. */
  get top(): string {
    return this.#items[0]?.rank ?? '';
  }

  push(item: Item): void {
    const items = this.#items;
    let at = items.length;
    items.push(item);
    while (at > 0) {
      const above = (at - 1) >> 1;
      const parent = items[above];
      if (parent === undefined || parent.rank >= item.rank) break;
      items[at] = parent;
      at = above;
    }
    items[at] = item;
  }

  /** Drops the item of the highest rank. */
  pop(): void {
    const last = this.#items.pop();
    if (last !== undefined && this.#items.length > 0) this.replaceTop(last);
  }

  /** Puts an item in the place of the one with the highest rank. */
  replaceTop(item: Item): void {
    const items = this.#items;
    let at = 0;
    for (;;) {
      const left = 2 * at + 1;
      const right = left + 1;
      const below = (items[right]?.rank ?? '') > (items[left]?.rank ?? '') ? right : left;
      const child = items[below];
      if (child === undefined || child.rank <= item.rank) break;
      items[at] = child;
      at = below;
    }
    items[at] = item;
  }

  /** All items, the lowest rank first. */
  sorted(): Item[] {
    return this.#items.toSorted(byRank);
  }
}

/** Compares two ranks, for sorting. */
export function byRank(a: Ranked, b: Ranked): number {
  return a.rank < b.rank ? -1 : a.rank > b.rank ? 1 : 0;
}
