/**
 * The two sets of paths that the API understands: `v1`, and `legacy`, which it still answers during a compatibility
 * window. They have other names, statuses, paging and error meanings for the same account, voices and jobs.
 */
export const DIALECTS = ['v1', 'legacy'] as const;
export type Dialect = (typeof DIALECTS)[number];
