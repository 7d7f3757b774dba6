import { linkNewMedia, type ProjectionRequest } from '../../results/write-out-folder.ts';
import { BucketUnusable } from '../../store/s3/errors.ts';
import type { Store } from '../../store/store.ts';
import { voxbatchVersion } from '../version.ts';

/** Interval at which media are linked into the out folder, ms. */
const LINK_EVERY_MS = 1_000;
/** How long to wait for a store that does not answer once following is over, ms. */
export const LAST_WAIT_MS = 10_000;

/** Where media come from, and `out`, the folder that they are linked or copied to; null links none. */
interface ArrivingMediaRequest extends Pick<ProjectionRequest, 'ledger' | 'batch'> {
  readonly store: Store;
  readonly out: string | null;
}

/**
 * Brings the media of a followed batch to its out folder as they arrive. Media in a folder are linked at once;
 * downloads from a bucket run in the background, so that they do not delay the display.
 */
export class ArrivingMedia {
  readonly #request: ArrivingMediaRequest;
  #linkedAt = 0;
  #linkedUpTo = 0;
  #running: Promise<void> | undefined;
  #fault: { readonly error: unknown } | undefined;

  constructor(request: ArrivingMediaRequest) {
    this.#request = request;
  }

  /** Links new media, at most once a second. Throws the error of an earlier download. */
  async link(): Promise<void> {
    if (this.#fault !== undefined) throw this.#fault.error;
    const { out, store } = this.#request;
    if (out === null || this.#running !== undefined || performance.now() - this.#linkedAt < LINK_EVERY_MS) return;
    this.#linkedAt = performance.now();
    // Only a bucket has outages.
    if (store.outage === undefined) return this.#link(out);
    this.#running = this.#link(out)
      .catch((error: unknown) => {
        // A bucket's refusal is reported at the end, when all files are written.
        if (!(error instanceof BucketUnusable)) this.#fault = { error };
      })
      .finally(() => {
        this.#running = undefined;
      });
  }

  /**
   * Waits for downloads in progress. `isHurried`: waits at most {@link LAST_WAIT_MS} for a store that does not answer.
   */
  async end(isHurried: boolean): Promise<void> {
    if (isHurried) this.#request.store.outage?.limit(LAST_WAIT_MS);
    await this.#running;
  }

  async #link(out: string): Promise<void> {
    // The next call overlaps by a second, so that it misses no row that ends just now.
    const since = Date.now() - 1_000;
    await linkNewMedia(
      { ...this.#request, out, complete: false, voxbatchVersion: voxbatchVersion() },
      this.#linkedUpTo,
    );
    this.#linkedUpTo = since;
  }
}
