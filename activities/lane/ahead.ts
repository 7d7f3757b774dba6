/** Rows that wait for others' results beyond this many count as claimed ahead: they are in memory all the same. */
const MOST_AWAITING = 2_000;

/** Rows of a lane that are to be sent and are not in its window yet. */
export class Ahead {
  #lookingUp = 0;
  #awaiting = 0;
  #short = 0;

  /** How many, as far as the next claim is concerned. */
  get count(): number {
    return this.#lookingUp + Math.max(0, this.#awaiting - MOST_AWAITING);
  }

  /** How many wait for other rows' results. */
  get awaiting(): number {
    return this.#awaiting;
  }

  /** How many wait for room in the budget. Only what is begun already may be claimed beside them. */
  get short(): number {
    return this.#short;
  }

  async whileLookingUp<T>(work: () => Promise<T>): Promise<T> {
    this.#lookingUp += 1;
    try {
      return await work();
    } finally {
      this.#lookingUp -= 1;
    }
  }

  async whileShort<T>(work: () => Promise<T>): Promise<T> {
    this.#short += 1;
    try {
      return await work();
    } finally {
      this.#short -= 1;
    }
  }

  async whileAwaiting<T>(work: () => Promise<T>): Promise<T> {
    this.#awaiting += 1;
    try {
      return await work();
    } finally {
      this.#awaiting -= 1;
    }
  }
}
