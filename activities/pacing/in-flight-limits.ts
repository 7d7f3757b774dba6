/**
 * Limits how many rows of a lane, or paid requests of a batch, are in flight at the same time. Waiters get slots in
 * order of arrival. A row that has begun takes a slot even if none is free.
 */
export class Window {
  #limit: number;
  #inFlight = 0;
  #waiting: (() => void)[] = [];
  #leaving = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Number of rows that keep their slot after they left; see {@link Window.leaveLater}. */
  get leaving(): number {
    return this.#leaving;
  }

  /** Number of slots taken. */
  get inFlight(): number {
    return this.#inFlight;
  }

  /** Number of waiters. */
  get queued(): number {
    return this.#waiting.length;
  }

  /** Changes the limit. Current holders keep their slots. */
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

  /** Takes a slot even if none is free. */
  force(): void {
    this.#inFlight += 1;
  }

  /** Releases a slot. */
  leave(): void {
    this.#inFlight -= 1;
    this.#admit();
  }

  /**
   * Leaves, but keeps the slot until {@link Window.letLeave}. For a row handed over to a downloader, which the ledger's
   * count of such rows does not include yet.
   */
  leaveLater(): void {
    this.#leaving += 1;
  }

  /**
   * Releases this many kept slots, because the ledger counts their rows now. The caller resizes the window afterwards.
   */
  letLeave(count: number): void {
    this.#leaving -= count;
    this.#inFlight -= count;
  }

  /** Lets all waiters in, so that each of them sees that the lane ends. */
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
 * Limits this process's paid requests in flight, by batch. The transaction of each intent enforces the exact limit over
 * all processes; this one only saves transactions that would be refused.
 */
export class InFlightLimits {
  readonly #windows = new Map<string, Window>();

  /**
   * Waits until fewer than `submits` requests of a batch are in flight, and applies that limit from now on. Returns a
   * function that releases the slot.
   */
  async enter(batch: string, submits: number): Promise<() => void> {
    const window = this.of(batch, submits);
    await window.enter();
    return () => {
      window.leave();
    };
  }

  /** Number of requests of a batch that wait for a slot. */
  queued(batch: string): number {
    return this.#windows.get(batch)?.queued ?? 0;
  }

  /** Returns the window of a batch, resized to this many requests. */
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
