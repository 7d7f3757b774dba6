/**
 * The two sets of paths that the API understands: `v1`, and `legacy`, which it still answers during a compatibility
 * window. They have other names, statuses, paging and error meanings for the same account, voices and jobs.
 */
export const DIALECTS = ['v1', 'legacy'] as const;
/** Decides the paths, statuses and errors of a request. */
export type Dialect = (typeof DIALECTS)[number];

/** A value of `--api-dialect`: one dialect for all rows, or `legacy` for a share of them. */
export type DialectChoice = Dialect | `legacy=${number}%`;

/** Returns the dialect of requests that belong to no row: `legacy` only if all rows use it. Default `v1`. */
export function soleDialect(choice: string | undefined): Dialect {
  return choice === 'legacy' ? 'legacy' : 'v1';
}

/** {@link DialectChoice} as a pattern. */
export const DIALECT_CHOICE = /^(v1|legacy|legacy=(100|[1-9]?\d(\.\d{1,3})?)%)$/;
/** The forms that {@link DIALECT_CHOICE} accepts, for messages. */
export const DIALECT_FORMS = 'v1, legacy, or legacy=20% for a share of the rows';

/** Returns the share of rows that use the legacy dialect, 0 to 1; undefined if the text is no {@link DialectChoice}. */
export function parseDialectChoice(text: string): number | undefined {
  if (!DIALECT_CHOICE.test(text)) return undefined;
  if (text === 'v1') return 0;
  return text === 'legacy' ? 1 : Number(text.slice('legacy='.length, -1)) / 100;
}

/** Formats a share of legacy rows, 0 to 1, for {@link parseDialectChoice}. */
export function formatDialectChoice(legacyShare: number): DialectChoice {
  if (legacyShare <= 0) return 'v1';
  return legacyShare >= 1 ? 'legacy' : `legacy=${Number((legacyShare * 100).toFixed(3))}%`;
}
