/**
 * Numbers the lines of several files as if they followed each other, and names one again. A place is small enough to be kept for each of millions
 * of rows.
 */
export class LinePlaces {
  readonly #files: { readonly label: string; readonly before: number }[] = [];
  #last = 0;

  /** The following lines are of this file. */
  begin(label: string): void {
    this.#files.push({ label, before: this.#last });
  }

  /** The place of a line of the file that was begun last. */
  placeOf(line: number): number {
    const place = (this.#files.at(-1)?.before ?? 0) + line;
    this.#last = Math.max(this.#last, place);
    return place;
  }

  /** `line 3`; where there are several files, `line 3 of b.csv`. */
  describe(place: number): string {
    const file = this.#files.findLast(({ before }) => before < place);
    const line = `line ${place - (file?.before ?? 0)}`;
    return this.#files.length > 1 && file !== undefined ? `${line} of ${file.label}` : line;
  }
}
