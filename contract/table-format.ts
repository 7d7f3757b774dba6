/** Possible cell delimiters of a text table (CSV, TSV). */
export const DELIMITERS = [',', ';', '\t'] as const;
/** Separates the cells of a line. */
export type Delimiter = (typeof DELIMITERS)[number];

/** How a text table is written, apart from its cells. */
export interface TableFormat {
  readonly delimiter: Delimiter;
  /** True if it begins with a byte order mark, by which Excel recognises UTF-8. */
  readonly bom: boolean;
}

/** Decimal separators of numbers in cells. */
export const DECIMALS = ['.', ','] as const;
/** Separates the digits after the point, or comma. */
export type Decimal = (typeof DECIMALS)[number];

/**
 * Returns the decimal separator of a table: a comma if cells are separated by semicolons, as Excel does in countries
 * that write 4,2. There, it would read 4.2 as a date.
 */
export function decimalOf({ delimiter }: Pick<TableFormat, 'delimiter'>): Decimal {
  return delimiter === ';' ? ',' : '.';
}

/** The format of results whose manifest was no text table. */
export const DEFAULT_TABLE_FORMAT: TableFormat = { delimiter: ',', bom: false };
