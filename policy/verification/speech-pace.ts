import { canonicalJson } from '../../contract/canonical-json.ts';
import type { RowSpec } from '../../contract/row-kinds.ts';
import { spokenSeconds } from '../money/pricing.ts';

/** Detects speech that is far too long or too short for its text, by the usual pace of its voice. */

/** Min known results of a voice before a new one is judged by them. */
const MIN_KNOWN = 20;
/** Shorter texts say little: pauses before and after count too much. */
const MIN_SECONDS = 4;
/** An odd result takes at least this many times as long as usual, or is that many times shorter, … */
const FACTOR = 2;
/** … and deviates by more than this many times the median deviation. */
const DEVIATIONS = 8;
/** Consecutive odd results that agree on a pace before it becomes the voice's new one. */
const MIN_AGREEING = 5;
/** Results that are kept. */
const MAX_KNOWN = 200;

/** The inputs that determine a result's pace: all of the row's speech settings. */
export type PacedSpeech = Pick<RowSpec, 'text' | 'voice' | 'engine' | 'speed' | 'language' | 'extra'>;

/** The known paces of a voice; see {@link paceOf}. */
export interface KnownPaces {
  /** Paces of the latest normal results, oldest first. */
  readonly usual: readonly number[];
  /** Paces of the odd results since then, which agree with each other. */
  readonly odd: readonly number[];
}

/** For a voice without results so far. */
export const NO_PACES: KnownPaces = { usual: [], odd: [] };

/** How a speech's duration is odd. */
export type OddPace = 'far too long for its text' | 'far too short for its text';

/**
 * Compares the pace of a result with the usual pace of its voice; undefined if it is normal or cannot be judged. It
 * finds files that are valid, but contain only a part of the text, or more than it. Only the median counts, so that a
 * few bad results do not spoil the comparison.
 *
 * @param known the paces of earlier results with this {@link paceKeyOf}
 */
export function judgePace(known: readonly number[], pace: number): OddPace | undefined {
  if (known.length < MIN_KNOWN) return undefined;
  const usual = medianOf(known);
  const deviation = medianOf(known.map((one) => Math.abs(one - usual)));
  const away = pace - usual;
  if (Math.abs(away) <= Math.max(Math.log(FACTOR), DEVIATIONS * deviation)) return undefined;
  return away > 0 ? 'far too long for its text' : 'far too short for its text';
}

/**
 * Returns the known paces after another result. Odd paces are not learned unless several in a row agree: then the voice
 * itself has changed, the earlier paces are dropped, and nothing is judged until enough new results are known.
 */
export function learnPace({ usual, odd }: KnownPaces, pace: number): KnownPaces {
  if (judgePace(usual, pace) === undefined) return { usual: [...usual, pace].slice(-MAX_KNOWN), odd: [] };
  // A pace that disagrees restarts the run, so that results that are bad in different ways count as no new pace.
  const agrees = odd.every((one) => Math.abs(one - pace) <= Math.log(FACTOR));
  const last = agrees ? [...odd, pace] : [pace];
  return last.length < MIN_AGREEING ? { usual, odd: last } : { usual: last, odd: [] };
}

/** Returns the pace of a result: the natural logarithm of its length divided by the estimated length of its text. */
export function paceOf(spec: PacedSpeech, seconds: number): number {
  return Math.log(seconds / spokenSeconds(spec));
}

/** Returns a key of everything that determines the pace; only results with the same key are compared. */
export function paceKeyOf({ text = '', voice, engine, speed = 1, language, extra }: PacedSpeech): string {
  return canonicalJson([voice ?? '', engine ?? '', speed, language ?? '', extra, isDense(text)]);
}

/** Whether a text is long and plain enough for its speech to be judged. */
export function hasPace({ text = '', speed = 1 }: Pick<PacedSpeech, 'text' | 'speed'>): boolean {
  return spokenSeconds({ text, speed }) >= MIN_SECONDS && isPlain(text);
}

/** Whether a text is nearly all letters: the duration of numbers, links and tags does not follow from their length. */
function isPlain(text: string): boolean {
  const letters = text.match(/[\p{L}\p{M}\s]/gu)?.length ?? 0;
  return letters >= 0.9 * text.length && !/[<>[\]{}]|\.{3}|…/u.test(text);
}

/** Whether most characters are of scripts with a syllable or a word per character, which have their own pace. */
function isDense(text: string): boolean {
  const dense = text.match(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/gu)?.length ?? 0;
  return dense * 2 > text.length;
}

function medianOf(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[sorted.length >> 1] ?? 0;
}
