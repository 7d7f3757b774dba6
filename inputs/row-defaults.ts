import type { SpecColumn } from '../contract/row-kinds.ts';

/** Columns that a flag fills for rows whose cell is empty or whose file lacks the column: `--voice --engine --format --language`. */
const DEFAULTED = ['voice', 'engine', 'format', 'language'] as const satisfies readonly SpecColumn[];
type DefaultedColumn = (typeof DEFAULTED)[number];

/** What these flags say. */
export type RowDefaults = { readonly [C in DefaultedColumn]?: string | undefined };

export function isDefaulted(column: SpecColumn): column is DefaultedColumn {
  return DEFAULTED.some((one) => one === column);
}
