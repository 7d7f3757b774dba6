/** The default of `--verify`: the share of wrong words above which a result does not pass. */
export const DEFAULT_THRESHOLD = 0.25;

/** What a threshold may be. Below the least, a good recogniser fails good speech; above the most, a text of other words may pass. */
export const THRESHOLD_BOUNDS = { least: 0.02, most: 0.6 } as const;

/** What a comparison of a transcript with the text that should have been said has found. */
export interface Judgement {
  /**
   * - `passed`: it is the text, as far as a transcript can show.
   * - `differs`: too many words are wrong, or too many in a row.
   * - `unheard`: the transcript has no word, or there is none, and the text has some.
   * - `other-language`: the same as `differs`, and the API says that another language was spoken than was asked for.
   */
  readonly is: 'passed' | 'differs' | 'unheard' | 'other-language';
  /** Share of wrong words: what is wrong, in words, divided by the words of the text. May be above 1. */
  readonly error: number;
  /** The longest run of wrong words. */
  readonly run: number;
  /** Words of the text; characters where the script has no spaces between words. */
  readonly words: number;
  /** Words of the transcript, counted alike. */
  readonly heard: number;
  /** What the row asked for. */
  readonly threshold: number;
  /** The language that the API says was spoken. */
  readonly language?: string;
}
