import type { RowRecord } from '../../ledger/rows/row-records.ts';

/** The rows that a slice of a lane works on. */
export class RowsInProgress {
  /** Work that has not ended. */
  readonly pending = new Set<Promise<void>>();
  readonly #rows = new Map<number, { readonly id: string; readonly works: Set<Promise<void>> }>();
  /** Rows whose work ended within the slice; the others continue in a later one. */
  done = 0;

  /** The id of a row, for its events. */
  idOf(row: number | undefined): string | undefined {
    return row === undefined ? undefined : this.#rows.get(row)?.id;
  }

  add({ row, id }: Pick<RowRecord, 'row' | 'id'>, work: () => Promise<void>, slice: AbortSignal): void {
    const works = this.#rows.get(row)?.works ?? new Set();
    this.#rows.set(row, { id, works });
    const watched = work().finally(() => {
      this.pending.delete(watched);
      works.delete(watched);
      // It may have been claimed again meanwhile, which still needs its id.
      if (works.size === 0) this.#rows.delete(row);
      if (!slice.aborted) this.done += 1;
    });
    works.add(watched);
    this.pending.add(watched);
  }
}
