/** A result file in the store, with the request that it belongs to, as its file name says. */
export interface NamedResultFile {
  /** Key in the store. */
  readonly key: string;
  readonly row: number;
  readonly step: string;
  readonly take: number;
}

/** A {@link NamedResultFile} with its modification time, ms since 1970. */
export interface DatedResultFile extends NamedResultFile {
  readonly writtenAt: number;
}
