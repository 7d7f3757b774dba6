/** The filters and orders of lists of rows, as query parameters: server, page and HTML report agree on them here. */

/** The filters of rows: their query parameters, and whether an index of the ledger serves them. */
export const ROW_FILTERS = [
  { name: 'outcome', isIndexed: true },
  { name: 'class', isIndexed: false },
  { name: 'cause', isIndexed: false },
  { name: 'message', isIndexed: false },
  { name: 'voice', isIndexed: false },
  { name: 'prefix', isIndexed: false },
  { name: 'text', isIndexed: false },
] as const;
/** The query parameter of a filter. */
export type RowFilterName = (typeof ROW_FILTERS)[number]['name'];
/** Filters that need a scan of the rows. */
export const UNINDEXED_FILTERS: readonly RowFilterName[] = ROW_FILTERS.flatMap(({ name, isIndexed }) =>
  isIndexed ? [] : [name],
);

/** The orders of rows besides that of the manifest, by the value of the query parameter `order`. */
export const ROW_ORDERS = {
  newest: { by: 'end', isLargestFirst: true },
  priciest: { by: 'price', isLargestFirst: true },
  cheapest: { by: 'price', isLargestFirst: false },
  longest: { by: 'length', isLargestFirst: true },
  shortest: { by: 'length', isLargestFirst: false },
} as const;
/** An order that the user can choose; without one, rows are in manifest order. */
export type RowOrder = keyof typeof ROW_ORDERS;
