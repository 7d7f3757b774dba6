/**
 * The rows of a manifest that a batch runs, if not all. `limit`: the first ones. `sample`: rows from all kinds, voices
 * and engines, drawn by their ids and a seed, so the order of the manifest does not matter, and a larger sample with
 * the same seed includes a smaller one.
 */
export type Subset =
  | { readonly type: 'limit'; readonly rows: number }
  | { readonly type: 'sample'; readonly rows: number; readonly seed: number };

/** The types of a subset. */
export const SUBSET_TYPES = ['limit', 'sample'] as const satisfies readonly Subset['type'][];

/** The default seed. A constant: running the same command again selects the same rows. */
export const DEFAULT_SEED = 1;

/** Returns the command-line flags for a subset, as separate words; none for all rows. */
export function subsetFlags(subset: Subset | null): readonly string[] {
  if (subset === null) return [];
  const rows = String(subset.rows);
  if (subset.type === 'limit') return ['--limit', rows];
  return ['--sample', rows, ...(subset.seed === DEFAULT_SEED ? [] : ['--seed', String(subset.seed)])];
}
