/** A row as people name it. */
export interface NamedRow {
  readonly row: number;
  readonly id: string;
  /** It is a part of the row of this number. Null or absent: it is a row of the manifest. */
  readonly partOf?: number | null;
}

/** The name of a row. */
export function nameOf({ row, id, partOf }: NamedRow & { readonly partOf: number | null }): NamedRow {
  return partOf === null ? { row, id } : { row, id, partOf };
}
