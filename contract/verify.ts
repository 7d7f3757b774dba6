import { parseUnsignedNumber } from './value-kinds.ts';

/**
 * Verification of speech (`--verify`): a paid transcription is compared with the text. The threshold is the share of
 * words that may be wrong.
 */

/** The threshold of `--verify` without a value. */
export const DEFAULT_THRESHOLD = 0.25;

/**
 * The valid range of a threshold. Below the range, a good recogniser fails good speech; above it, a different text may
 * pass.
 */
export const THRESHOLD_BOUNDS = { least: 0.02, most: 0.6 } as const;

/** What {@link parseVerifyThreshold} accepts, for a message that begins with "expected". */
export const THRESHOLD_FORM = `true, false, or the share of words that may be wrong, from ${THRESHOLD_BOUNDS.least} to ${THRESHOLD_BOUNDS.most}`;

/** Parses the value of `--verify`: `true` is the default threshold, `false` is `off`. Undefined if invalid. */
export function parseVerifyThreshold(text: string): number | 'off' | undefined {
  if (/^true$/i.test(text)) return DEFAULT_THRESHOLD;
  if (/^false$/i.test(text)) return 'off';
  const share = parseUnsignedNumber(text);
  return share >= THRESHOLD_BOUNDS.least && share <= THRESHOLD_BOUNDS.most ? share : undefined;
}

/** Result of comparing a transcript with the text that should have been spoken. */
export interface Judgement {
  /**
   * - `passed`: the transcript matches the text closely enough.
   * - `differs`: too many words are wrong, or too many in a row.
   * - `unheard`: the text has words, but the transcript has none or is missing.
   * - `other-language`: as `differs`, and the API detected another language than was requested.
   */
  readonly is: 'passed' | 'differs' | 'unheard' | 'other-language';
  /** Word error rate: wrong words divided by the words of the text. May exceed 1. */
  readonly error: number;
  /** The longest run of wrong words. */
  readonly run: number;
  /** Number of words of the text; of characters, if the script has no spaces between words. */
  readonly words: number;
  /** Number of words of the transcript, counted in the same way. */
  readonly heard: number;
  /** The row's threshold. */
  readonly threshold: number;
  /** The language that the API detected. */
  readonly language?: string;
}
