/** A file in the store that a request brought, and whose result it is, as its name says. */
export interface NamedResultFile {
  /** Name in the store. */
  readonly key: string;
  readonly row: number;
  readonly step: string;
  readonly take: number;
}

/** The same, with the time when it was written, ms. */
export interface DatedResultFile extends NamedResultFile {
  readonly writtenAt: number;
}
