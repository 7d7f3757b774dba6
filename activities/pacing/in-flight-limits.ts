/**
 * Limits the number in flight: a lane's rows or a batch's paid requests. Waiters enter in order of arrival. A row
 * already begun counts as in flight whether there is room or not.
 */
export class Window {
  #limit: number;
  #inFlight = 0;
  #waiting: (() => void)[] = [];
  #leaving = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** How many keep their slot, see {@link Window.leaveLater}. */
  get leaving(): number {
    return this.#leaving;
  }

  /** How many are in. */
  get inFlight(): number {
    return this.#inFlight;
  }

  /** How many wait for room. */
  get queued(): number {
    return this.#waiting.length;
  }

  /** Changes the limit; current holders keep their slots. */
  resize(limit: number): void {
    this.#limit = limit;
    this.#admit();
  }

  /** Resolves when the caller has a slot. A caller that no longer needs it must still leave. */
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

  /**
   * Keeps the slot until {@link Window.letLeave}: the row still counts, but elsewhere, and is not counted there yet.
   */
  leaveLater(): void {
    this.#leaving += 1;
  }

  /** This many of those that keep their slot are counted elsewhere by now. The caller resizes the window afterwards. */
  letLeave(count: number): void {
    this.#leaving -= count;
    this.#inFlight -= count;
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
 * Limits this process's paid requests in flight, per batch. The transaction of each intent enforces the exact limit
 * across all processes; this one only saves needless transactions.
 */
export class InFlightLimits {
  readonly #windows = new Map<string, Window>();

  /**
   * Waits until fewer than `submits` requests of a batch are in flight, and keeps that limit from now on. Returns the
   * function that releases the slot.
   */
  async enter(batch: string, submits: number): Promise<() => void> {
    const window = this.of(batch, submits);
    await window.enter();
    return () => {
      window.leave();
    };
  }

  /** How many requests of a batch wait for a slot. */
  queued(batch: string): number {
    return this.#windows.get(batch)?.queued ?? 0;
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
