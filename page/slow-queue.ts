import { setTimeout } from 'node:timers/promises';

/** Queries that may wait: more than a few open tabs cause. */
const MAX_WAITING = 32;

/** Too many queries wait, or too many streams are open; answered with status 503. */
export class TooManyRequests extends Error {}

/** `high`: what the user waits for. `low`: what is shown beside it, such as the chart. */
export type Priority = 'high' | 'low';

/**
 * The requests of one page view arrive one after the other, so a query of low priority is held back this long, in case
 * one of high priority follows, ms.
 */
const GATHER_MS = 20;
/** Queries of high priority in a row after which one of low priority runs, so that a long search cannot starve it. */
const MAX_HIGH_IN_A_ROW = 3;

/**
 * Runs slow ledger queries one at a time: run at once they would slow each other down, and hold more of the database.
 * Queries of high priority run first, within {@link MAX_HIGH_IN_A_ROW}; equal ones run in the order of arrival.
 */
export class SlowQueue {
  readonly #waiting: Readonly<Record<Priority, (() => Promise<void>)[]>> = { high: [], low: [] };
  #unanswered = 0;
  #isRunning = false;

  /**
   * Queues `query` and resolves with its result. `isWanted` is called when its turn comes: if it returns false, the
   * query is skipped and the result is undefined. Rejects with {@link TooManyRequests}.
   */
  async run<T>(priority: Priority, isWanted: () => boolean, query: () => Promise<T>): Promise<T | undefined> {
    if (this.#unanswered >= MAX_WAITING) throw new TooManyRequests('Too many questions at once.');
    this.#unanswered += 1;
    try {
      return await new Promise<T | undefined>((resolve, reject) => {
        const turn = (): Promise<void> =>
          Promise.resolve()
            .then(() => (isWanted() ? query() : undefined))
            .then(resolve, reject);
        this.#waiting[priority].push(turn);
        if (!this.#isRunning) void this.#runAll();
      });
    } finally {
      this.#unanswered -= 1;
    }
  }

  async #runAll(): Promise<void> {
    const { high, low } = this.#waiting;
    this.#isRunning = true;
    let highInARow = 0;
    while (high.length > 0 || low.length > 0) {
      const isTurnOfLow = low.length > 0 && highInARow >= MAX_HIGH_IN_A_ROW;
      if (high.length === 0 && !isTurnOfLow) await setTimeout(GATHER_MS);
      const next = isTurnOfLow ? undefined : high.shift();
      highInARow = next === undefined ? 0 : highInARow + 1;
      await (next ?? low.shift())?.();
    }
    this.#isRunning = false;
  }
}

/** Returns a function whose callers share the call that is in flight, if any. A settled result is never reused. */
export function shareInFlight<T>(load: () => Promise<T>): () => Promise<T> {
  let inFlight: Promise<T> | undefined;
  return () => {
    inFlight ??= load().finally(() => {
      inFlight = undefined;
    });
    return inFlight;
  };
}
