import { createHmac, randomBytes } from 'node:crypto';

/** Makes and checks expiring links, like those of object stores. The key is per process. */
export class SignedLinks {
  readonly #key = randomBytes(32);
  /** Origin of the media, without a trailing slash. */
  readonly origin: string;
  readonly lifeMs: number;

  constructor(origin: string, lifeMs: number) {
    this.origin = origin;
    this.lifeMs = lifeMs;
  }

  /** Makes a link to a file, valid from now for `lifeMs`; also returns its expiry (ms since 1970). */
  make(file: string, lifeMs = this.lifeMs): { readonly url: string; readonly expires: number } {
    const expires = Date.now() + lifeMs;
    const url = `${this.origin}/results/${file}?expires=${expires}&signature=${this.#sign(file, expires)}`;
    return { url, expires };
  }

  /** Expiry of a link, in ms since 1970; null if the signature is not ours. */
  expiryOf(file: string, query: URLSearchParams): number | null {
    const expires = Number(query.get('expires'));
    return query.get('signature') === this.#sign(file, expires) ? expires : null;
  }

  #sign(file: string, expires: number): string {
    return createHmac('sha256', this.#key).update(`${file} ${expires}`).digest('hex');
  }
}
