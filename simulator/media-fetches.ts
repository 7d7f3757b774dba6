import { createHash } from 'node:crypto';

/** One fetch of the media that a request names. */
export interface MediaFetch {
  readonly url: string;
  /** HTTP status; null if there was no complete answer. */
  readonly status: number | null;
  readonly bytes: number;
  /** Hash of what arrived, hex. */
  readonly sha256: string;
}

/** Max fetches kept, the latest ones. */
const MAX_KEPT = 20_000;
/** Time limit for one file, ms. */
const TIMEOUT_MS = 60_000;

/** Fetches the media that requests name, completely, as a real service does. Sends no token. */
export class MediaFetches {
  readonly #fetches: MediaFetch[] = [];
  readonly #closing = new AbortController();

  /** Fetches files. Returns why one of them cannot be used, or null. Never throws. */
  async fetchAll(urls: readonly string[]): Promise<string | null> {
    for (const url of urls) {
      const { status } = await this.#fetch(url);
      if (status === 200) continue;
      return `The media URL cannot be fetched (${status === null ? 'no whole answer' : String(status)})`;
    }
    return null;
  }

  list(): readonly MediaFetch[] {
    return this.#fetches.slice(-MAX_KEPT);
  }

  close(): void {
    this.#closing.abort();
  }

  async #fetch(url: string): Promise<MediaFetch> {
    const hash = createHash('sha256');
    let bytes = 0;
    let status: number | null = null;
    try {
      const signal = AbortSignal.any([this.#closing.signal, AbortSignal.timeout(TIMEOUT_MS)]);
      const response = await fetch(url, { signal });
      for await (const chunk of response.body ?? []) {
        hash.update(chunk as Uint8Array);
        bytes += (chunk as Uint8Array).length;
      }
      ({ status } = response);
    } catch {
      // `status` stays null: there is no such host, or the answer broke off.
    }
    const done = { url, status, bytes, sha256: hash.digest('hex') };
    this.#fetches.push(done);
    if (this.#fetches.length >= 2 * MAX_KEPT) this.#fetches.splice(0, MAX_KEPT);
    return done;
  }
}
