import type { ManifestOptions } from './manifest-options.ts';
import type { ManifestRow } from './manifest-row.ts';

/** What rows may take together, bytes: some 25,000 short lines. */
const MOST_BYTES = 32 * 1024 ** 2;
/** What a row takes besides its cells, about: its objects and its id. */
const BYTES_A_ROW = 1_000;

/**
 * The rows of a manifest as it was last checked. A manifest is needed three times (checked, compared with earlier results, loaded), and
 * parsing it is most of that work, so the rows of one that is not too large are kept until it is loaded. A larger one is read
 * again.
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

  /** Forgets the rows, and begins anew with those that these options give. */
  begin(options: ManifestOptions): void {
    this.drop();
    this.#options = options;
  }

  /** Takes the next row, unless they are too many. */
  add(row: ManifestRow): void {
    if (this.#options === undefined) return;
    this.#bytes += BYTES_A_ROW;
    for (const cell of row.input) this.#bytes += 2 * cell.length;
    if (this.#bytes > this.#mostBytes) this.drop();
    else this.#rows.push(row);
  }

  /** `digest`: of the bytes that gave them; null: the file was not read to its end. */
  end(digest: string | null): void {
    this.#digest = digest;
  }

  /** The rows of these bytes, read with these very options; undefined: they are not here. */
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
