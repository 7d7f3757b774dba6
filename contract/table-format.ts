/** Possible separators of the cells of a table. */
export const DELIMITERS = [',', ';', '\t'] as const;
export type Delimiter = (typeof DELIMITERS)[number];

/** How a text table is written, apart from its cells. */
export interface TableFormat {
  readonly delimiter: Delimiter;
  /** True if it begins with a byte order mark, by which Excel recognises UTF-8. */
  readonly bom: boolean;
}

/** The default format. */
export const PLAIN_TABLE: TableFormat = { delimiter: ',', bom: false };
