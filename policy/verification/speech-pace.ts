import { canonicalJson } from '../../contract/canonical-json.ts';
import type { RowSpec } from '../../contract/row-kinds.ts';
import { spokenSeconds } from '../money/pricing.ts';

/** Min known results of a voice before a new one is judged by them. */
const LEAST_KNOWN = 20;
/** Shorter texts say little: pauses before and after count too much. */
const LEAST_SECONDS = 4;
/** How far from the usual pace an odd result must be, in either direction, and how many times the usual deviation. */
const FACTOR = 2;
const DEVIATIONS = 8;
/** Consecutive odd results that agree on a pace before it becomes the voice's new one. */
const LEAST_AGREEING = 5;
/** Results that are kept. */
const MOST_KNOWN = 200;

/** The inputs that determine a result's pace: all of the row's speech settings. */
export type PacedSpeech = Pick<RowSpec, 'text' | 'voice' | 'engine' | 'speed' | 'language' | 'extra'>;

/** The known paces of a voice. */
export interface KnownPaces {
  /** Paces of the latest normal results, oldest first. */
  readonly usual: readonly number[];
  /** Paces of the odd results since then, which agree with each other. */
  readonly odd: readonly number[];
}

export const NO_PACES: KnownPaces = { usual: [], odd: [] };

/** How a speech's duration is odd. */
export type OddPace = 'far too long for its text' | 'far too short for its text';

/**
 * Compares how long speech takes with how long its voice usually takes for such a text: a third of a text, or another
 * voice, may be a whole file in good order. Cautious: it judges only long plain texts of a voice of which many results
 * are known, and by their median, so that a few bad ones do not spoil it.
 *
 * @param known the paces of earlier results with this {@link paceKeyOf}
 */
export function judgePace(known: readonly number[], pace: number): OddPace | undefined {
  if (known.length < LEAST_KNOWN) return undefined;
  const usual = medianOf(known);
  const deviation = medianOf(known.map((one) => Math.abs(one - usual)));
  const away = pace - usual;
  if (Math.abs(away) <= Math.max(Math.log(FACTOR), DEVIATIONS * deviation)) return undefined;
  return away > 0 ? 'far too long for its text' : 'far too short for its text';
}

/**
 * The known paces after a result. Odd ones are not learned unless several in a row agree: then the voice itself has
 * changed. The earlier paces are dropped, and nothing is judged until enough results of the new pace are known.
 */
export function learnPace({ usual, odd }: KnownPaces, pace: number): KnownPaces {
  if (judgePace(usual, pace) === undefined) return { usual: [...usual, pace].slice(-MOST_KNOWN), odd: [] };
  // One that disagrees begins anew, so that results which are bad in several ways are not taken for a pace.
  const agrees = odd.every((one) => Math.abs(one - pace) <= Math.log(FACTOR));
  const last = agrees ? [...odd, pace] : [pace];
  return last.length < LEAST_AGREEING ? { usual, odd: last } : { usual: last, odd: [] };
}

/** How much longer than such a text usually takes with any voice, as a logarithm. */
export function paceOf(spec: PacedSpeech, seconds: number): number {
  return Math.log(seconds / spokenSeconds(spec));
}

/** Results with the same key have paces that can be compared. */
export function paceKeyOf({ text = '', voice, engine, speed = 1, language, extra }: PacedSpeech): string {
  return canonicalJson([voice ?? '', engine ?? '', speed, language ?? '', extra, isDense(text)]);
}

/** Whether a text is long and plain enough for its speech to be judged. */
export function hasPace({ text = '', speed = 1 }: Pick<PacedSpeech, 'text' | 'speed'>): boolean {
  return spokenSeconds({ text, speed }) >= LEAST_SECONDS && isPlain(text);
}

/** The duration of numbers, links, tags and directions does not follow from their letters. */
function isPlain(text: string): boolean {
  const letters = text.match(/[\p{L}\p{M}\s]/gu)?.length ?? 0;
  return letters >= 0.9 * text.length && !/[<>[\]{}]|\.{3}|…/u.test(text);
}

/** Scripts with a syllable or a word in a character have a pace of their own. */
function isDense(text: string): boolean {
  const dense = text.match(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/gu)?.length ?? 0;
  return dense * 2 > text.length;
}

function medianOf(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[sorted.length >> 1] ?? 0;
}
