/**
 * Whether results of earlier, identical rows are reused.
 *
 * - `on`: a row whose result exists is not sent; identical rows are paid for once.
 * - `fresh`: every row is sent; the results are kept for later rows.
 * - `only`: no row is sent; a row without an existing result ends `skipped`.
 * - `off`: every row is sent, and no later row uses its result.
 */
export const CACHE_MODES = ['on', 'fresh', 'only', 'off'] as const;
export type CacheMode = (typeof CACHE_MODES)[number];

/** Whether a batch looks for the results of earlier rows. */
export function reusesResults(mode: CacheMode): boolean {
  return mode === 'on' || mode === 'only';
}
