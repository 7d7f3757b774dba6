import type { RowRecord } from '../../ledger/record-types.ts';

/** The rows of a slice that are worked on. */
export class RowsAtWork {
  readonly all = new Set<Promise<void>>();
  readonly #ids = new Map<number, string>();
  /** Those whose work was over before the slice was; the others go on in another one. */
  done = 0;

  /** The id of a row, for its events. */
  idOf(row: number | undefined): string | undefined {
    return row === undefined ? undefined : this.#ids.get(row);
  }

  add({ row, id }: Pick<RowRecord, 'row' | 'id'>, work: () => Promise<void>, slice: AbortSignal): void {
    this.#ids.set(row, id);
    const watched = work().finally(() => {
      this.all.delete(watched);
      this.#ids.delete(row);
      if (!slice.aborted) this.done += 1;
    });
    this.all.add(watched);
  }
}
