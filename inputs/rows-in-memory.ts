import type { ManifestRow, ManifestOptions } from './manifest-options.ts';

/** Memory limit for the kept rows, in bytes: some 25,000 short lines. */
const MOST_BYTES = 32 * 1024 ** 2;

/** Approximate overhead per row besides its cells: its objects and id. */
const BYTES_A_ROW = 1_000;

/**
 * Caches the rows of a checked manifest. It is needed three times (to check, to compare with earlier results, to load),
 * and parsing dominates the cost, so the rows are kept until loaded. A manifest over the limit is read again.
 */
export class RowsInMemory {
  readonly #mostBytes: number;
  #rows: ManifestRow[] = [];
  #bytes = 0;
  #options: ManifestOptions | undefined;
  #digest: string | null = null;

  /** @param mostBytes what they may take together; tests have less */
  constructor(mostBytes = MOST_BYTES) {
    this.#mostBytes = mostBytes;
  }

  /** Drops the rows and starts over for these options. */
  begin(options: ManifestOptions): void {
    this.drop();
    this.#options = options;
  }

  /** Adds a row, unless the limit is reached. */
  add(row: ManifestRow): void {
    if (this.#options === undefined) return;
    this.#bytes += BYTES_A_ROW;
    for (const cell of row.input) this.#bytes += 2 * cell.length;
    if (this.#bytes > this.#mostBytes) this.drop();
    else this.#rows.push(row);
  }

  /** `digest` is that of the source bytes; null if the file was not read to the end. */
  end(digest: string | null): void {
    this.#digest = digest;
  }

  /** The rows parsed from these bytes with these options, or undefined if they are not cached. */
  find(options: ManifestOptions, digest: string | null): readonly ManifestRow[] | undefined {
    const isHere = digest !== null && this.#digest === digest && this.#options === options;
    return isHere ? this.#rows : undefined;
  }

  /** Frees them. */
  drop(): void {
    this.#rows = [];
    this.#bytes = 0;
    this.#options = undefined;
    this.#digest = null;
  }
}
