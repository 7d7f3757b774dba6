/** Rows beyond this many that wait for other rows' results count against the next claim, because they take memory. */
const MAX_AWAITING = 2_000;

/**
 * What a claimed row does before it enters the window. `looking-up`: it looks for an earlier result. `awaiting`: it
 * waits for another row's result. `short`: it waits for budget room.
 */
type Stage = 'looking-up' | 'awaiting' | 'short';

/** Counts a lane's claimed rows that are to be sent, but have not entered its window (the rows in flight) yet. */
export class RowsBeforeWindow {
  readonly #rows: Record<Stage, number> = { 'looking-up': 0, awaiting: 0, short: 0 };

  /** Number of rows that count against the next claim. */
  get count(): number {
    return this.#rows['looking-up'] + Math.max(0, this.awaiting - MAX_AWAITING);
  }

  /** Number of rows that wait for other rows' results. */
  get awaiting(): number {
    return this.#rows.awaiting;
  }

  /** Number of rows that wait for budget room. While there are any, fewer new rows are claimed. */
  get short(): number {
    return this.#rows.short;
  }

  /** Counts a row in this stage while the work runs, and returns its result. */
  async countDuring<T>(stage: Stage, work: () => Promise<T>): Promise<T> {
    this.#rows[stage] += 1;
    try {
      return await work();
    } finally {
      this.#rows[stage] -= 1;
    }
  }
}
