/** A row, and the batch that it is to be of; undefined: the newest. */
export interface RowReading {
  readonly row: string;
  readonly batch: string | undefined;
}

/** What `explain` was told. */
export interface TypedRow {
  readonly first: string;
  readonly second?: string | undefined;
  /** `--batch`. */
  readonly named?: string | undefined;
}

/** The names of the batches that there are. */
export interface BatchNames {
  readonly known: readonly string[];
  /** Those of them that are single jobs. */
  readonly single: readonly string[];
}

/**
 * The ways to read the words of `explain`: a row, or a row and its batch in either order. The name of a single job stands for its only row.
 * Empty if `--batch` names a third thing. If neither word is a batch, the first one is taken for it, so that the message names it.
 */
export function rowReadings({ first, second, named }: TypedRow, { known, single }: BatchNames): readonly RowReading[] {
  if (second === undefined) {
    const isJob = named === undefined && single.includes(first);
    return isJob ? [{ row: '1', batch: first }] : [{ row: first, batch: named }];
  }
  const asBatchAndRow = { batch: first, row: second };
  if (first === second) return named === undefined || named === first ? [asBatchAndRow] : [];
  const orders = [asBatchAndRow, { batch: second, row: first }];
  if (named !== undefined) return orders.filter(({ batch }) => batch === named);
  const fitting = orders.filter(({ batch }) => known.includes(batch));
  return fitting.length > 0 ? fitting : [asBatchAndRow];
}
