/** Beyond this many, rows that wait for others' results count as claimed ahead, because they still take memory. */
const MOST_AWAITING = 2_000;

/** What a row does before it is in the window. */
type Before = 'looking-up' | 'awaiting' | 'short';

/** Rows of a lane that are to be sent and are not in its window yet. */
export class Ahead {
  readonly #rows: Record<Before, number> = { 'looking-up': 0, awaiting: 0, short: 0 };

  /** The number that counts against the next claim. */
  get count(): number {
    return this.#rows['looking-up'] + Math.max(0, this.awaiting - MOST_AWAITING);
  }

  /** How many wait for other rows' results. */
  get awaiting(): number {
    return this.#rows.awaiting;
  }

  /** How many wait for budget room. Meanwhile, only rows already begun may be claimed. */
  get short(): number {
    return this.#rows.short;
  }

  /** Counts a row as this as long as the work lasts. */
  async while<T>(before: Before, work: () => Promise<T>): Promise<T> {
    this.#rows[before] += 1;
    try {
      return await work();
    } finally {
      this.#rows[before] -= 1;
    }
  }
}
