import type { RowRecord } from '../../ledger/rows/row-records.ts';

/** The rows of a slice that are worked on. */
export class RowsAtWork {
  readonly all = new Set<Promise<void>>();
  readonly #rows = new Map<number, { readonly id: string; readonly works: Set<Promise<void>> }>();
  /** Those whose work was over before the slice was; the others go on in another one. */
  done = 0;

  /** The id of a row, for its events. */
  idOf(row: number | undefined): string | undefined {
    return row === undefined ? undefined : this.#rows.get(row)?.id;
  }

  add({ row, id }: Pick<RowRecord, 'row' | 'id'>, work: () => Promise<void>, slice: AbortSignal): void {
    const works = this.#rows.get(row)?.works ?? new Set();
    this.#rows.set(row, { id, works });
    const watched = work().finally(() => {
      this.all.delete(watched);
      works.delete(watched);
      // It may have been claimed again meanwhile, which still needs its id.
      if (works.size === 0) this.#rows.delete(row);
      if (!slice.aborted) this.done += 1;
    });
    works.add(watched);
    this.all.add(watched);
  }
}
