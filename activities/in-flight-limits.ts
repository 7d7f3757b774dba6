import { Window } from './window.ts';

/**
 * Bounds the paid requests that this process has in flight, per batch. The exact bound over all processes is held by the
 * ledger in the transaction of each intent; this one only spares it the asking.
 */
export class InFlightLimits {
  readonly #windows = new Map<string, Window>();

  /** The window of a batch, with room for so many requests from now on. */
  of(batch: string, submits: number): Window {
    const known = this.#windows.get(batch);
    if (known !== undefined) {
      known.resize(submits);
      return known;
    }
    const window = new Window(submits);
    this.#windows.set(batch, window);
    return window;
  }
}
