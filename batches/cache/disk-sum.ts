import type { MeasuredFile } from '../../store/store.ts';

/** Media that are removed from the store. Sizes are in bytes. */
export interface MediaSum {
  /** Names in the store. */
  readonly files: number;
  /** Length of the files, each once. */
  readonly bytes: number;
  /** The part of `bytes` that is free on the disk afterwards: of files that have no other name, here or in an out folder. */
  readonly freed: number;
}

export const NO_MEDIA: MediaSum = { files: 0, bytes: 0, freed: 0 };

/** Adds up files that are removed, whether they were measured before or in between. */
export class DiskSum {
  #files = 0;
  #bytes = 0;
  #freed = 0;
  /** Names that are left of files with several. */
  readonly #left = new Map<string, number>();

  add(measured: MeasuredFile | undefined): void {
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

  result(): MediaSum {
    return { files: this.#files, bytes: this.#bytes, freed: this.#freed };
  }
}
