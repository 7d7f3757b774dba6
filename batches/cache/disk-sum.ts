import type { MeasuredFile, Store } from '../../store/store.ts';

/** Media that are removed from the store. Sizes are in bytes. */
export interface MediaSum {
  /** Number of file names in the store. */
  readonly files: number;
  /** Total size of the files, each counted once. */
  readonly bytes: number;
  /** The part of `bytes` that deletion frees on disk: files without another link, here or in an out folder. */
  readonly freed: number;
}

export const NO_MEDIA: MediaSum = { files: 0, bytes: 0, freed: 0 };

/** Sums up removed files, whether they are measured before or during removal. */
export class DiskSum {
  #files = 0;
  #bytes = 0;
  #freed = 0;
  /** Remaining links of files that have several. */
  readonly #left = new Map<string, number>();

  add(measured: Omit<MeasuredFile, 'writtenAt'> | undefined): void {
    if (measured === undefined) return;
    const { id, bytes, names } = measured;
    const known = this.#left.get(id);
    const left = Math.min(names, known ?? names) - 1;
    this.#files++;
    if (known === undefined) this.#bytes += bytes;
    if (left > 0) this.#left.set(id, left);
    else {
      this.#left.delete(id);
      this.#freed += bytes;
    }
  }

  /** Removes stored files, and adds them. `isDryRun`: only adds them. */
  async remove(store: Pick<Store, 'measure' | 'remove'>, keys: readonly string[], isDryRun: boolean): Promise<void> {
    for (const measured of await store.measure(keys)) this.add(measured);
    if (!isDryRun) await store.remove(keys);
  }

  result(): MediaSum {
    return { files: this.#files, bytes: this.#bytes, freed: this.#freed };
  }
}
