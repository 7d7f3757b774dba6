/**
 * Limits how many are in flight: rows of a lane, paid requests of a batch. Waiters enter in order of arrival. A row
 * that was begun before is in flight whether there is room or not.
 */
export class Window {
  #limit: number;
  #inFlight = 0;
  #waiting: (() => void)[] = [];

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** How many are in. */
  get inFlight(): number {
    return this.#inFlight;
  }

  /** How many wait for room. */
  get queued(): number {
    return this.#waiting.length;
  }

  /** Changes the limit; nobody who is in is put out. */
  resize(limit: number): void {
    this.#limit = limit;
    this.#admit();
  }

  /** Resolves when the caller is in. A caller that changed its mind must still leave. */
  enter(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      this.#admit();
    });
  }

  /** Lets a row in even without room. */
  force(): void {
    this.#inFlight += 1;
  }

  leave(): void {
    this.#inFlight -= 1;
    this.#admit();
  }

  /** Lets in all waiters: the lane ends, and each of them must see that. */
  open(): void {
    this.#limit = Infinity;
    this.#admit();
  }

  #admit(): void {
    while (this.#inFlight < this.#limit) {
      const next = this.#waiting.shift();
      if (next === undefined) return;
      this.#inFlight += 1;
      next();
    }
  }
}

/**
 * Limits the paid requests that this process has in flight, per batch. The transaction of each intent holds the exact
 * limit over all processes; this one only saves asking it.
 */
export class InFlightLimits {
  readonly #windows = new Map<string, Window>();

  /**
   * Waits until fewer than `submits` requests of a batch are in flight; that limit holds from now on. Returns what ends the
   * place of the request.
   */
  async enter(batch: string, submits: number): Promise<() => void> {
    const window = this.of(batch, submits);
    await window.enter();
    return () => {
      window.leave();
    };
  }

  /** The window of a batch, resized to this many requests. */
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
