/** An origin that failed this often in a row, without any answer, is not asked again. */
export const PATIENCE = 5;

/** Origins that do not answer: one that is down must not cost every row its whole time limit. */
export class SilentOrigins {
  readonly #holdsMs: number;
  readonly #silent = new Map<string, { readonly at: number; readonly times: number }>();

  /** `holdsMs`: how long a failure counts. Default: as long as the process lives. */
  constructor(holdsMs = Infinity) {
    this.#holdsMs = holdsMs;
  }

  isGivenUp(origin: string): boolean {
    return this.#timesOf(origin) >= PATIENCE;
  }

  /** Notes whether the origin was silent when it was asked. */
  note(origin: string, isSilent: boolean): void {
    if (isSilent) this.#silent.set(origin, { at: performance.now(), times: this.#timesOf(origin) + 1 });
    else this.#silent.delete(origin);
  }

  #timesOf(origin: string): number {
    const found = this.#silent.get(origin);
    return found === undefined || performance.now() - found.at > this.#holdsMs ? 0 : found.times;
  }
}
