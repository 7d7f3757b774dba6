import { parseUnsignedNumber } from './value-kinds.ts';

/** The default of `--verify`: the share of wrong words above which a result does not pass. */
export const DEFAULT_THRESHOLD = 0.25;

/**
 * The valid range of a threshold. Below it, a good recogniser fails good speech; above it, a different text may pass.
 */
export const THRESHOLD_BOUNDS = { least: 0.02, most: 0.6 } as const;

/** How a threshold is written. */
export const THRESHOLD_FORM = `true, false, or the share of words that may be wrong, from ${THRESHOLD_BOUNDS.least} to ${THRESHOLD_BOUNDS.most}`;

/** Parses a threshold: `true` means the default, `false` means `off`. Undefined if invalid. */
export function parseVerifyThreshold(text: string): number | 'off' | undefined {
  if (/^true$/i.test(text)) return DEFAULT_THRESHOLD;
  if (/^false$/i.test(text)) return 'off';
  const share = parseUnsignedNumber(text);
  return share >= THRESHOLD_BOUNDS.least && share <= THRESHOLD_BOUNDS.most ? share : undefined;
}

/** Result of comparing a transcript with the text that should have been spoken. */
export interface Judgement {
  /**
   * - `passed`: it is the text, as far as a transcript can show.
   * - `differs`: too many words are wrong, or too many in a row.
   * - `unheard`: the text has words, but the transcript has none or is missing.
   * - `other-language`: the same as `differs`, and the API says that another language was spoken than was asked for.
   */
  readonly is: 'passed' | 'differs' | 'unheard' | 'other-language';
  /** Word error rate: wrong words divided by the words of the text. May exceed 1. */
  readonly error: number;
  /** The longest run of wrong words. */
  readonly run: number;
  /** Words of the text; characters where the script has no spaces between words. */
  readonly words: number;
  /** Words of the transcript, counted alike. */
  readonly heard: number;
  /** The row's threshold. */
  readonly threshold: number;
  /** The language that the API says was spoken. */
  readonly language?: string;
}
