/** Caches recent media, so that a file fetched twice is rendered once. */
export class MediaCache {
  readonly #kept = new Map<string, Promise<Buffer>>();
  readonly #limit: number;

  /** @param limit - max files to keep; the oldest goes first. Default 200. */
  constructor(limit = 200) {
    this.#limit = limit;
  }

  /** Returns the media with this key; makes them if they are not cached. */
  get(key: string, make: () => Buffer | Promise<Buffer>): Promise<Buffer> {
    const known = this.#kept.get(key);
    if (known !== undefined) return known;
    const made = Promise.resolve().then(make);
    this.#kept.set(key, made);
    made.catch(() => this.#kept.delete(key));
    const oldest = this.#kept.keys().next().value;
    if (this.#kept.size > this.#limit && oldest !== undefined) this.#kept.delete(oldest);
    return made;
  }
}
