import type { RowRecord } from '../../ledger/rows/row-records.ts';

/** Tracks the rows that a slice of a lane works on. */
export class RowsInProgress {
  /** The work that has not ended. */
  readonly pending = new Set<Promise<void>>();
  /** By row number. A row may be claimed again before its earlier work has ended, so there may be several works. */
  readonly #rows = new Map<number, { readonly id: string; readonly works: Set<Promise<void>> }>();
  /** Number of works that ended within the slice. The other rows continue in a later slice. */
  done = 0;

  /** Returns the id of a row in progress, for its events. */
  idOf(row: number | undefined): string | undefined {
    return row === undefined ? undefined : this.#rows.get(row)?.id;
  }

  /** Starts work on a row. `slice`: aborts when the slice ends. `work` must not reject. */
  add({ row, id }: Pick<RowRecord, 'row' | 'id'>, work: () => Promise<void>, slice: AbortSignal): void {
    const works = this.#rows.get(row)?.works ?? new Set();
    this.#rows.set(row, { id, works });
    const tracked = work().finally(() => {
      this.pending.delete(tracked);
      works.delete(tracked);
      if (works.size === 0) this.#rows.delete(row);
      if (!slice.aborted) this.done += 1;
    });
    works.add(tracked);
    this.pending.add(tracked);
  }
}
