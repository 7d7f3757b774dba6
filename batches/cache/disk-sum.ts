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

/** The sum of a removal that removes no file. */
export const NO_MEDIA: MediaSum = { files: 0, bytes: 0, freed: 0 };

/**
 * Sums up the files of a removal, real or only forecast. One file may have several names (hard links) in the store and
 * in out folders: it counts once, and its bytes are freed only with its last link.
 */
export class DiskSum {
  #files = 0;
  #bytes = 0;
  #freed = 0;
  /** Links not added yet, of files with several links, by file id. */
  readonly #left = new Map<string, number>();

  /** Adds one name of a file. Undefined, for a file that is missing, adds nothing. */
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
