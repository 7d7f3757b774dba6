import pLimit, { type LimitFunction } from 'p-limit';

/**
 * Bounds the paid requests that this process has in flight, per batch. The exact bound over all processes is held by the
 * ledger in the transaction of each intent; this one only spares it the asking.
 */
export class InFlightLimits {
  readonly #limits = new Map<string, LimitFunction>();

  of(batch: string, submits: number): LimitFunction {
    const known = this.#limits.get(batch);
    if (known !== undefined) {
      known.concurrency = submits;
      return known;
    }
    const limit = pLimit(submits);
    this.#limits.set(batch, limit);
    return limit;
  }
}
