import type { Operation } from './row-kinds.ts';

/** What one unit of an operation costs, in credits. */
export interface Price {
  /**
   * `character`: per character of the text, CJK characters counted as `cjkFactor` characters; rounded up per request.
   * `second`: per started second of media. `job`: per request.
   */
  readonly unit: 'character' | 'second' | 'job';
  readonly credits: number;
  /** How many characters a CJK character counts for; only with `character`. Default 1. */
  readonly cjkFactor?: number;
  /** True where the figure is our reading of public material rather than the user's own setting. */
  readonly estimate: boolean;
}

export type PriceTable = Readonly<Record<Operation, Price>>;

/**
 * Built-in prices, all estimates. Source: published samples and one client's measurement (1 credit per CJK character,
 * half a credit per other character, rounded up per request; speech to text about 1 credit per started second;
 * lip-sync by processed duration, taken here as 1 credit per started second).
 */
export const BUILT_IN_PRICES: PriceTable = {
  'speech-job': { unit: 'character', credits: 0.5, cjkFactor: 2, estimate: true },
  'speech-sync': { unit: 'character', credits: 0.5, cjkFactor: 2, estimate: true },
  transcription: { unit: 'second', credits: 1, estimate: true },
  'lip-sync-job': { unit: 'second', credits: 1, estimate: true },
};
