import pLimit, { type LimitFunction } from 'p-limit';

/**
 * Bounds the paid requests that this process has on the wire, per batch. The exact bound over all processes is held by the
 * ledger in the transaction of each intent; this one only spares it the asking.
 */
export class Wires {
  readonly #wires = new Map<string, LimitFunction>();

  of(batch: string, submits: number): LimitFunction {
    const known = this.#wires.get(batch);
    if (known !== undefined) {
      known.concurrency = submits;
      return known;
    }
    const wire = pLimit(submits);
    this.#wires.set(batch, wire);
    return wire;
  }
}
