/**
 * Values of `--cache`: whether a batch uses the result cache of the ledger. Two rows share a result if everything that
 * shapes it is equal (`policy/cache/result-key.ts`), whatever batch they are in.
 *
 * - `on`: a row whose result is cached is not sent; equal rows of the batch are paid for once. The default.
 * - `fresh`: every row is sent and paid for; its result is cached for later rows.
 * - `only`: no row is sent; a row without a cached result ends `skipped`.
 * - `off`: every row is sent and paid for, and its result is not cached.
 */
export const CACHE_MODES = ['on', 'fresh', 'only', 'off'] as const;
/** A value of `--cache`. */
export type CacheMode = (typeof CACHE_MODES)[number];

/** Whether a batch in this mode reads the cache. */
export function reusesResults(mode: CacheMode): boolean {
  return mode === 'on' || mode === 'only';
}
