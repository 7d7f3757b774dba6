/**
 * Bounds how many rows of a lane are in flight. Those that wait enter in the order in which they came. A row that was begun before is in flight
 * whether there is room or not.
 */
export class Places {
  #limit: number;
  #taken = 0;
  #waiting: (() => void)[] = [];

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Rows in flight. */
  get taken(): number {
    return this.#taken;
  }

  /** Rows that wait for a place. */
  get queued(): number {
    return this.#waiting.length;
  }

  /** Changes the limit; nobody who is in is put out. */
  resize(limit: number): void {
    this.#limit = limit;
    this.#admit();
  }

  /** Resolves when the row is in. Whoever no longer wants the place leaves all the same. */
  enter(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      this.#admit();
    });
  }

  /** Takes a place also where there is none. */
  force(): void {
    this.#taken += 1;
  }

  leave(): void {
    this.#taken -= 1;
    this.#admit();
  }

  /** Lets in everybody who waits: the lane ends, and each of them is to see that. */
  open(): void {
    this.#limit = Infinity;
    this.#admit();
  }

  #admit(): void {
    while (this.#taken < this.#limit) {
      const next = this.#waiting.shift();
      if (next === undefined) return;
      this.#taken += 1;
      next();
    }
  }
}
