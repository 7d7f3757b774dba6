/** What may stand between the cells of a table. */
export const DELIMITERS = [',', ';', '\t'] as const;
export type Delimiter = (typeof DELIMITERS)[number];

/** How a table of text is written, besides its cells. */
export interface TableFormat {
  readonly delimiter: Delimiter;
  /** True if it begins with a byte order mark, by which Excel tells UTF-8. */
  readonly bom: boolean;
}

/** As tables are written where nothing says otherwise. */
export const PLAIN_TABLE: TableFormat = { delimiter: ',', bom: false };
