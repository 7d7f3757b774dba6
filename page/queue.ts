/** More that wait than people cause; they are told to come again. */
const MOST_WAITING = 32;

/** Too many questions wait. */
export class QueueFull extends Error {}

/**
 * Slow questions, one after the other: together they would only make each other slower, and hold more of the database.
 * Those that nobody waits for any more are left out.
 */
export class SlowQueue {
  #waiting = 0;
  #last: Promise<unknown> = Promise.resolve();

  /** `isWanted` is asked when its turn comes; if it is not, the answer is undefined. Throws {@link QueueFull}. */
  async run<T>(isWanted: () => boolean, ask: () => Promise<T>): Promise<T | undefined> {
    if (this.#waiting >= MOST_WAITING) throw new QueueFull('Too many questions at once.');
    this.#waiting += 1;
    const turn = this.#last.then(() => (isWanted() ? ask() : undefined));
    this.#last = turn.catch(() => undefined);
    try {
      return await turn;
    } finally {
      this.#waiting -= 1;
    }
  }
}

/** Asks once for all who ask at the same time, and gives no answer older than it takes to ask. */
export function shared<T>(ask: () => Promise<T>): () => Promise<T> {
  let asked: Promise<T> | undefined;
  return () => {
    asked ??= ask().finally(() => {
      asked = undefined;
    });
    return asked;
  };
}
