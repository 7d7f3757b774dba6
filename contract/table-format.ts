/** Possible separators of the cells of a table. */
export const DELIMITERS = [',', ';', '\t'] as const;
export type Delimiter = (typeof DELIMITERS)[number];

/** How a text table is written, apart from its cells. */
export interface TableFormat {
  readonly delimiter: Delimiter;
  /** True if it begins with a byte order mark, by which Excel recognises UTF-8. */
  readonly bom: boolean;
}

/** What separates the decimals of a number. */
export const DECIMALS = ['.', ','] as const;
export type Decimal = (typeof DECIMALS)[number];

/**
 * The decimal separator of a table: a comma where semicolons separate the cells, as in a country that writes 4,2. Excel
 * takes 4.2 for a date there.
 */
export function decimalOf({ delimiter }: Pick<TableFormat, 'delimiter'>): Decimal {
  return delimiter === ';' ? ',' : '.';
}

/** The default format. */
export const DEFAULT_TABLE_FORMAT: TableFormat = { delimiter: ',', bom: false };
