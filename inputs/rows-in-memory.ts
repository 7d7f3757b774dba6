import type { ManifestRow, ManifestOptions } from './manifest-options.ts';

/** Memory limit for the kept rows, in bytes: some 25,000 short lines. */
const MAX_BYTES = 32 * 1024 ** 2;

/** Approximate overhead per row besides its cells: its objects and id. */
const BYTES_A_ROW = 1_000;

/**
 * Keeps the rows of a checked manifest until they are loaded. They are needed three times (to check, to compare with
 * earlier results, to load), and parsing takes most of that time. A manifest over the memory limit is read again
 * instead.
 */
export class RowsInMemory {
  readonly #maxBytes: number;
  #rows: ManifestRow[] = [];
  #bytes = 0;
  #options: ManifestOptions | undefined;
  #digest: string | null = null;

  /** @param maxBytes memory limit; tests use less */
  constructor(maxBytes = MAX_BYTES) {
    this.#maxBytes = maxBytes;
  }

  /** Drops the rows, and begins to keep those read with these options. */
  begin(options: ManifestOptions): void {
    this.drop();
    this.#options = options;
  }

  /** Adds a row. Over the limit, drops all rows and ignores further ones. */
  add(row: ManifestRow): void {
    if (this.#options === undefined) return;
    this.#bytes += BYTES_A_ROW;
    for (const cell of row.input) this.#bytes += 2 * cell.length;
    if (this.#bytes > this.#maxBytes) this.drop();
    else this.#rows.push(row);
  }

  /** Ends the adding. `digest`: sha256 of the source's bytes; null if it was not read to its end. */
  end(digest: string | null): void {
    this.#digest = digest;
  }

  /**
   * Returns the rows of the source with this digest; undefined if they are not kept. `options`: the same object as
   * passed to {@link RowsInMemory.begin}.
   */
  find(options: ManifestOptions, digest: string | null): readonly ManifestRow[] | undefined {
    const isHere = digest !== null && this.#digest === digest && this.#options === options;
    return isHere ? this.#rows : undefined;
  }

  /** Frees the rows. */
  drop(): void {
    this.#rows = [];
    this.#bytes = 0;
    this.#options = undefined;
    this.#digest = null;
  }
}
