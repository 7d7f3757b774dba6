import type { RowRecord } from '../../ledger/record-types.ts';

/** A row as people name it. */
export interface NamedRow {
  readonly row: number;
  readonly id: string;
  /** It is a part of the row of this number. Null or absent: it is a row of the manifest. */
  readonly partOf?: number | null;
}

/** The name of a row. */
export function nameOf({ row, id, partOf }: Pick<RowRecord, 'row' | 'id' | 'partOf'>): NamedRow {
  return partOf === null ? { row, id } : { row, id, partOf };
}
