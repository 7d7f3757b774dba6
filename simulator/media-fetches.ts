import { createHash } from 'node:crypto';

/** One fetch of a request's media, as a service does it. */
export interface MediaFetch {
  readonly url: string;
  /** Null if there was no answer, or it broke off. */
  readonly status: number | null;
  readonly bytes: number;
  /** Of what arrived, hex. */
  readonly sha256: string;
}

/** Latest fetches that are kept. */
const KEPT = 20_000;
/** Time for one file, ms. */
const LONGEST_MS = 60_000;

/** Fetches the media that requests name, whole. No token goes along. */
export class MediaFetches {
  readonly #fetches: MediaFetch[] = [];
  readonly #closing = new AbortController();

  /** Fetches these. Returns why one cannot be used, or null. Never throws. */
  async fetchAll(urls: readonly string[]): Promise<string | null> {
    for (const url of urls) {
      const { status } = await this.#fetch(url);
      if (status === 200) continue;
      return `The media URL cannot be fetched (${status === null ? 'no whole answer' : String(status)})`;
    }
    return null;
  }

  list(): readonly MediaFetch[] {
    return this.#fetches.slice(-KEPT);
  }

  close(): void {
    this.#closing.abort();
  }

  async #fetch(url: string): Promise<MediaFetch> {
    const hash = createHash('sha256');
    let bytes = 0;
    let status: number | null = null;
    try {
      const signal = AbortSignal.any([this.#closing.signal, AbortSignal.timeout(LONGEST_MS)]);
      const response = await fetch(url, { signal });
      for await (const chunk of response.body ?? []) {
        hash.update(chunk as Uint8Array);
        bytes += (chunk as Uint8Array).length;
      }
      ({ status } = response);
    } catch {
      // The link leads nowhere, or its server broke off.
    }
    const done = { url, status, bytes, sha256: hash.digest('hex') };
    this.#fetches.push(done);
    if (this.#fetches.length >= 2 * KEPT) this.#fetches.splice(0, KEPT);
    return done;
  }
}
