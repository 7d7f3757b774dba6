/**
 * The two sets of paths that the API understands: `v1`, and `legacy`, which it still answers during a compatibility
 * window. They have other names, statuses, paging and error meanings for the same account, voices and jobs.
 */
export const DIALECTS = ['v1', 'legacy'] as const;
export type Dialect = (typeof DIALECTS)[number];

/** Which dialect the rows of a batch speak, as a user writes it: one for all, or `legacy` for a share of them. */
export type DialectChoice = Dialect | `legacy=${number}%`;

/** The dialect of requests that are not made per row: legacy only if all rows use it. Default `v1`. */
export function soleDialect(choice: string | undefined): Dialect {
  return choice === 'legacy' ? 'legacy' : 'v1';
}

/** {@link DialectChoice} as a pattern. */
export const DIALECT_CHOICE = /^(v1|legacy|legacy=(100|[1-9]?\d(\.\d{1,3})?)%)$/;
/** The forms that {@link DIALECT_CHOICE} accepts, for messages. */
export const DIALECT_FORMS = 'v1, legacy, or legacy=20% for a share of the rows';

/** The share of rows that speak the legacy dialect, 0 to 1; undefined if the text is no {@link DialectChoice}. */
export function parseDialectChoice(text: string): number | undefined {
  if (!DIALECT_CHOICE.test(text)) return undefined;
  if (text === 'v1') return 0;
  return text === 'legacy' ? 1 : Number(text.slice('legacy='.length, -1)) / 100;
}

/** The choice as {@link parseDialectChoice} reads it. */
export function formatDialectChoice(legacyShare: number): DialectChoice {
  if (legacyShare <= 0) return 'v1';
  return legacyShare >= 1 ? 'legacy' : `legacy=${Number((legacyShare * 100).toFixed(3))}%`;
}
