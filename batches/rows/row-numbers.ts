const ROWS_AT_START = 1024;

/** A number above 0 for each of millions of rows: 4 bytes a row, in a flat array. */
export class RowNumbers {
  #values = new Uint32Array(ROWS_AT_START);

  /** The number of a row, if it has one. `row`: from 1. */
  get(row: number): number | undefined {
    const value = this.#values[row] ?? 0;
    return value === 0 ? undefined : value;
  }

  set(row: number, value: number): void {
    if (row >= this.#values.length) {
      const grown = new Uint32Array(Math.max(row + 1, this.#values.length * 2));
      grown.set(this.#values);
      this.#values = grown;
    }
    this.#values[row] = value;
  }
}
