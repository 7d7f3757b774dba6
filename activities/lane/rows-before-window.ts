/** Beyond this many, rows that wait for others' results count as claimed ahead, because they still take memory. */
const MOST_AWAITING = 2_000;

/** What a claimed row does before it enters the window of jobs in flight. `short`: it waits for budget room. */
type Stage = 'looking-up' | 'awaiting' | 'short';

/** A lane's claimed rows that are to be sent, but have not entered its window yet. */
export class RowsBeforeWindow {
  readonly #rows: Record<Stage, number> = { 'looking-up': 0, awaiting: 0, short: 0 };

  /** The number of rows that count against the next claim. */
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

  /** Counts a row in this stage while the work runs. */
  async while<T>(stage: Stage, work: () => Promise<T>): Promise<T> {
    this.#rows[stage] += 1;
    try {
      return await work();
    } finally {
      this.#rows[stage] -= 1;
    }
  }
}
