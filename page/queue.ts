import { setTimeout } from 'node:timers/promises';

/** More that wait than people cause; they are told to come again. */
const MOST_WAITING = 32;

/** Too many questions wait. */
export class QueueFull extends Error {}

/** `first`: what a person looks at meanwhile. `later`: what stands beside it. */
export type Importance = 'first' | 'later';

/**
 * The questions of one look at the page arrive one by one: those for later wait so long for those that come first, ms.
 */
const TOGETHER_MS = 20;
/** After so many questions in a row that came first, one for later has its turn, or a long search would hold it up. */
const MOST_FIRST = 3;

/**
 * Slow questions, one after the other: together they would only make each other slower, and hold more of the database.
 * The more important ones come first, but hold up the others for three turns at most; equals come in the order in which
 * they are asked. Those that nobody waits for any more are left out.
 */
export class SlowQueue {
  readonly #waiting: Readonly<Record<Importance, (() => Promise<void>)[]>> = { first: [], later: [] };
  #unanswered = 0;
  #isAtWork = false;

  /** `isWanted` is asked when its turn comes; if it is not, the answer is undefined. Throws {@link QueueFull}. */
  async run<T>(importance: Importance, isWanted: () => boolean, ask: () => Promise<T>): Promise<T | undefined> {
    if (this.#unanswered >= MOST_WAITING) throw new QueueFull('Too many questions at once.');
    this.#unanswered += 1;
    try {
      return await new Promise<T | undefined>((resolve, reject) => {
        const turn = (): Promise<void> =>
          Promise.resolve()
            .then(() => (isWanted() ? ask() : undefined))
            .then(resolve, reject);
        this.#waiting[importance].push(turn);
        if (!this.#isAtWork) void this.#work();
      });
    } finally {
      this.#unanswered -= 1;
    }
  }

  async #work(): Promise<void> {
    const { first, later } = this.#waiting;
    this.#isAtWork = true;
    for (let passed = 0; first.length > 0 || later.length > 0;) {
      const isLatersTurn = later.length > 0 && passed >= MOST_FIRST;
      if (first.length === 0 && !isLatersTurn) await setTimeout(TOGETHER_MS);
      const next = isLatersTurn ? undefined : first.shift();
      passed = next === undefined ? 0 : passed + 1;
      await (next ?? later.shift())?.();
    }
    this.#isAtWork = false;
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
